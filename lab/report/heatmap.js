// A head's weights on one sentence as a map: a row per query, a column per key; a cell is a unit square.

// Draws one path for each level of weight, so that thousands of cells need only a few dozen elements.
function heatmap(rows, levels) {
  const paths = Array.from({length: levels + 1}, () => '');
  rows.forEach((row, i) => row.forEach((weight, j) => {
    paths[Math.min(levels, Math.round((weight / 1000) * levels))] += `M${j} ${i}h1v1h-1z`;
  }));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${rows[0].length} ${rows.length}`).attr('preserveAspectRatio', 'none');
  paths.forEach((path, level) => {
    if (level > 0 && path) svg.append('path').attr('class', 'heat').attr('d', path).attr('fill-opacity', level / levels);
  });
  return svg;
}

// The map for the overview of all heads, where a cell is at least one pixel. Each cell is the largest of its weights:
// narrow stripes remain.
function smallMap(rows) {
  const [tall, wide] = [rows.length, rows[0].length].map((size) => Math.ceil(size / 64));
  const coarse = d3.range(0, rows.length, tall).map((i) => d3.range(0, rows[0].length, wide).map((j) =>
    d3.max(rows.slice(i, i + tall), (row) => d3.max(row.slice(j, j + wide)))));
  return heatmap(coarse, 12).attr('class', 'small-map').node();
}

// The row and column of the cell under the pointer; null outside the map.
function cellUnder(event, svg, rows) {
  const box = svg.getBoundingClientRect();
  const i = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
  const j = Math.floor(((event.clientX - box.left) / box.width) * rows[0].length);
  return rows[i]?.[j] === undefined ? null : {i, j};
}

function cellText(rows, queries, keys, i, j) {
  return [`${queries[i]} → ${keys[j]}`, percent(rows[i][j] / 1000, 1)];
}
