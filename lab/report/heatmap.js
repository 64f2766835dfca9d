// A head's weights on one sentence: small, for all heads at once, and large, with the tokens.

const heatLevels = 12;

// One path for each level of weight: a thousand cells are a dozen elements.
function smallMap(rows) {
  const levels = Array.from({length: heatLevels + 1}, () => '');
  rows.forEach((row, i) => row.forEach((weight, j) => {
    levels[Math.round((weight / 1000) * heatLevels)] += `M${j} ${i}h1v1h-1z`;
  }));
  const svg = d3.create('svg')
    .attr('class', 'small-map')
    .attr('viewBox', `0 0 ${rows[0].length} ${rows.length}`)
    .attr('preserveAspectRatio', 'none');
  levels.forEach((path, level) => {
    if (level > 0 && path) svg.append('path').attr('d', path).attr('fill-opacity', level / heatLevels);
  });
  return svg.node();
}

// The row and column of a small map that the pointer is on.
function cellUnder(event, svg, rows) {
  const box = svg.getBoundingClientRect();
  const i = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
  const j = Math.floor(((event.clientX - box.left) / box.width) * rows[0].length);
  return rows[i]?.[j] === undefined ? null : {i, j};
}

function cellText(rows, queries, keys, i, j) {
  return [`${queries[i]} → ${keys[j]}`, percent(rows[i][j] / 1000, 1)];
}

// Rows are queries, columns keys. `pointed(cell)` hears which cell the pointer is on, or null.
function largeMap(rows, queries, keys, pointed) {
  const cell = 17;
  const letter = 7;
  const longest = (tokens) => d3.max(tokens, (token) => token.length) * letter + 10;
  const left = longest(queries);
  const top = longest(keys);
  const width = left + keys.length * cell + 4;
  const height = top + queries.length * cell + 4;
  const svg = d3.create('svg').attr('class', 'large-map').attr('width', width).attr('height', height)
    .attr('viewBox', `0 0 ${width} ${height}`);
  const middle = (i) => (i + 0.5) * cell;
  svg.append('g').selectAll('text').data(queries).join('text').attr('class', 'query')
    .attr('x', left - 6).attr('y', (_, i) => top + middle(i)).attr('dy', '0.35em').attr('text-anchor', 'end')
    .text((token) => token);
  svg.append('g').selectAll('text').data(keys).join('text').attr('class', 'key')
    .attr('transform', (_, j) => `translate(${left + middle(j)},${top - 6}) rotate(-90)`).attr('dy', '0.35em')
    .text((token) => token);
  const cells = rows.flatMap((row, i) => row.map((weight, j) => ({i, j, weight})));
  svg.append('g').selectAll('rect').data(cells).join('rect').attr('class', 'cell')
    .attr('x', (d) => left + d.j * cell).attr('y', (d) => top + d.i * cell)
    .attr('width', cell - 1).attr('height', cell - 1)
    .attr('fill-opacity', (d) => d.weight / 1000)
    .on('pointermove', (d) => {
      showTip(d3.event, ...cellText(rows, queries, keys, d.i, d.j));
      pointed(d);
    });
  svg.on('pointerleave', () => {
    hideTip();
    pointed(null);
  });
  return svg.node();
}

// Marks one cell of a large map, or none.
function markCell(svg, cell) {
  d3.select(svg).selectAll('rect.cell').classed('pointed', (d) => cell && d.i === cell.i && d.j === cell.j);
  d3.select(svg).selectAll('text.query').classed('pointed', (_, i) => cell && i === cell.i);
  d3.select(svg).selectAll('text.key').classed('pointed', (_, j) => cell && j === cell.j);
}
