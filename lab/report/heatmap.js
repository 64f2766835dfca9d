// A head's weights on one sentence as a map: a row per query, a column per key; a cell is a unit square.

// The weights of a head: whole numbers of 16 bits, little-endian, row by row, in base64.
function weightsIn(text, columns) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const numbers = new DataView(bytes.buffer);
  return d3.range(bytes.length / 2 / columns).map((i) => d3.range(columns).map((j) => numbers.getUint16(2 * (i * columns + j), true) / 65535));
}

// A sentence with the weights of its heads as numbers.
function withWeights(sentence) {
  const read = (one) => one.heads.map((head) => weightsIn(head, tokensOf(sentence, one.keys).length));
  return {...sentence, attentions: sentence.attentions.map((one) => ({...one, heads: read(one)}))};
}

// Draws one path for each level of weight, so that thousands of cells need only a few dozen elements. Where all weights
// are small, as among many tokens, the largest one is as dark as a quarter.
function heatmap(rows, levels) {
  const strength = Math.max(1, 0.25 / (d3.max(rows.flat()) || 1));
  const paths = Array.from({length: levels + 1}, () => '');
  rows.forEach((row, i) => row.forEach((weight, j) => {
    paths[Math.min(levels, Math.round(strength * weight * levels))] += `M${j} ${i}h1v1h-1z`;
  }));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${rows[0].length} ${rows.length}`).attr('preserveAspectRatio', 'none');
  paths.forEach((path, level) => {
    if (level > 0 && path) svg.append('path').attr('class', 'heat').attr('d', path).attr('fill-opacity', level / levels);
  });
  return svg;
}

// The row and column of the cell under the pointer; null outside the map.
function cellUnder(event, svg, rows) {
  const box = svg.getBoundingClientRect();
  const i = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
  const j = Math.floor(((event.clientX - box.left) / box.width) * rows[0].length);
  return rows[i]?.[j] === undefined ? null : {i, j};
}

function cellText(rows, queries, keys, i, j) {
  return [`${queries[i]} → ${keys[j]}`, percent(rows[i][j], 1)];
}
