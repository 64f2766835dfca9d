// The map of a chosen head with tokens at its edges. The tokens stay visible while the map scrolls.

const cellSize = targetSize(17);

// The queries beside the rows or, if `above`, the keys above the columns.
function edge(tokens, above) {
  const letter = 7.3;
  const room = Math.ceil(d3.max(tokens, (token) => token.length) * letter) + 10;
  const long = tokens.length * cellSize;
  const svg = d3.create('svg').attr('class', above ? 'keys' : 'queries')
    .attr('width', above ? long : room).attr('height', above ? room : long);
  const texts = svg.selectAll('text').data(tokens).join('text').attr('class', above ? 'key' : 'query');
  const middle = (_, i) => (i + 0.5) * cellSize;
  if (above) texts.attr('transform', (token, j) => `translate(${middle(token, j)},${room - 6}) rotate(-90)`);
  else texts.attr('x', room - 6).attr('y', middle).attr('text-anchor', 'end');
  texts.attr('dy', '0.35em').text((token) => token);
  return svg.node();
}

// `pointed(cell)` is called with the cell under the pointer, or null; `picked(i)` with a clicked row.
function largeMap({rows, queries, keys, pointed, picked}) {
  const svg = heatmap(rows, 50).attr('class', 'cells').attr('width', keys.length * cellSize).attr('height', queries.length * cellSize);
  const [height, width] = [rows.length, rows[0].length];
  const rules = d3.range(height + 1).map((i) => `M0 ${i}H${width}`).concat(d3.range(width + 1).map((j) => `M${j} 0V${height}`));
  svg.append('path').attr('class', 'rules').attr('d', rules.join(''));
  svg.append('rect').attr('class', 'picked').attr('width', keys.length).attr('height', 1).attr('visibility', 'hidden');
  svg.append('rect').attr('class', 'pointed').attr('width', 1).attr('height', 1).attr('visibility', 'hidden');
  const cells = svg.node();
  cells.addEventListener('pointermove', (event) => {
    const cell = cellUnder(event, cells, rows);
    if (cell) showTip(event, ...cellText(rows, queries, keys, cell.i, cell.j));
    pointed(cell);
  });
  cells.addEventListener('pointerleave', () => {
    hideTip();
    pointed(null);
  });
  const labels = edge(queries, false);
  for (const part of [cells, labels]) {
    part.addEventListener('click', (event) => {
      const cell = cellUnder(event, part, rows);
      if (cell) picked(cell.i);
    });
  }
  return element('div', {class: 'large-map'}, element('div', {class: 'corner'}), edge(keys, true), labels, cells);
}

// Marks one cell of a large map; with null, no cell.
function markCell(map, cell) {
  const all = d3.select(map);
  const {width, height} = map.querySelector('.cells').viewBox.baseVal;
  const inside = cell && cell.j < width && cell.i < height;
  all.select('rect.pointed').attr('visibility', inside ? 'visible' : 'hidden')
    .attr('x', inside ? cell.j : 0).attr('y', inside ? cell.i : 0);
  all.selectAll('text.query').classed('pointed', (_, i) => cell && i === cell.i);
  all.selectAll('text.key').classed('pointed', (_, j) => cell && j === cell.j);
}

// Marks the row of one query; with null, no row.
function markRow(map, i) {
  d3.select(map).select('rect.picked').attr('visibility', i === null ? 'hidden' : 'visible').attr('y', i ?? 0);
  d3.select(map).selectAll('text.query').classed('picked', (_, row) => row === i);
}
