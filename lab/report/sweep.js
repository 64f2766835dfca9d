// The page of a sweep: a table of its cells, a chart for each axis, and a chart of quality against time.

function cellName(settings) {
  const all = Object.entries(settings);
  return all.length > 0 ? all.map(([axis, label]) => `${axis}=${label}`).join(', ') : 'the config';
}

// "encoder_self.entropy" becomes "encoder self: entropy".
function figureName(name) {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? metricName(name) : `${words(name.slice(0, dot))}: ${metricName(name.slice(dot + 1))}`;
}

function spreadText(metric, {mean, deviation}) {
  return metricText(metric, mean) + (deviation === null ? '' : ` ± ${metricText(metric, deviation)}`);
}

// The best cell is chosen by the seeds that all cells have; on seeds shared with a single cell it may be worse.
function verdict(cell, lower) {
  if (cell.best) return 'best';
  if (!cell.to_best) return 'not comparable';
  if (!cell.to_best.significant) return 'not significant';
  return (cell.to_best.difference > 0) === lower ? 'significantly worse' : 'better on shared seeds';
}

// Remarks for comparisons in which cells have fewer seeds, or only one common seed.
function remarksOnSeeds({cells, runs, shared_seeds: shared}) {
  const names = (those) => those.map((cell) => cellName(cell.settings)).join('; ');
  const all = new Set(runs.map(({seed}) => seed)).size;
  const fewer = cells.filter((cell) => cell.seeds < all);
  const compared = cells.filter((cell) => !cell.best && cell.to_best);
  const single = compared.filter((cell) => cell.to_best.pairs === 1);
  const by = shared.length > 0 ? `the seeds that all cells have (${shared.join(', ')})` : 'each cell’s own seeds, since no seed is in all cells';
  return [
    fewer.length > 0 && remark(`The best cell is chosen by the means over ${by}. Cells with fewer seeds: ${names(fewer)}.`),
    single.length > 0 && remark(`Compared with one seed${single.length < compared.length ? `: ${names(single)}. There,` : ':'} p says nothing about other seeds.`),
  ].filter(Boolean);
}

function duration(seconds) {
  if (seconds < 60) return `${number(seconds)} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s` : `${(seconds / 3600).toFixed(1)} h`;
}

function cellsTable({results, axes, lower_is_better: lower}) {
  const {metric, show} = results;
  const compared = (cell, text) => (cell.to_best && !cell.best ? text(cell.to_best) : '');
  const columns = [
    ...axes.map(({name}) => ({name, cell: (row) => row.settings[name]})),
    {name: metricName(metric), help: 'mean and deviation over the seeds', cell: (row) => spreadText(metric, row[metric])},
    {name: 'to the best', help: 'the mean difference, and the interval that contains 95 % of the resamples',
      cell: (row) => compared(row, ({difference, interval}) => `${metricText(metric, difference)} (${interval.map((end) => metricText(metric, end)).join(' to ')})`)},
    {name: 'p', help: 'by a paired bootstrap over seeds and examples', cell: (row) => compared(row, ({p}) => p.toFixed(3))},
    {name: 'p (Holm)', help: 'corrected for the comparisons of all cells with the best', cell: (row) => compared(row, ({p_holm: p}) => p.toFixed(3))},
    {name: 'pairs', help: 'number of seeds that both this cell and the best cell have', cell: (row) => compared(row, ({pairs}) => pairs)},
    ...show.map((figure) => ({name: figureName(figure), cell: (row) => (row[figure] ? spreadText(figure, row[figure]) : '')})),
    {name: '', cell: (row) => [verdict(row, lower), row.cheapest_not_significantly_worse && 'cheapest that will do', row.on_front && 'front'].filter(Boolean)
      .reduce((list, text) => { list.append(element('span', {class: `role ${text.split(' ')[0]}`}, text), ' '); return list; }, element('span'))},
    {name: 'seeds', cell: (row) => row.seeds},
    {name: 'head width', cell: (row) => row.head_width},
    {name: 'parameters', cell: (row) => number(row.parameters.mean)},
    {name: 'multiply-adds', cell: (row) => number(row.multiply_adds.mean)},
    {name: 'tokens/s', cell: (row) => number(row.tokens_per_second.mean)},
    {name: 'time', cell: (row) => duration(row.seconds.mean)},
  ];
  const rows = [...results.cells].sort((a, b) => b.best - a.best || (lower ? 1 : -1) * (a[metric].mean - b[metric].mean));
  return table(columns, rows, (row) => ({class: row.cheapest_not_significantly_worse ? 'chosen' : ''}));
}

// A cell as a point with a tip and, for each axis with deviations, an error bar.
function cellPoint(svg, line, metric, cell, {x, y, across, along}) {
  const group = svg.append('g').attr('class', `point line-${line}`);
  const stroke = (from, to) => group.append('path').attr('class', 'deviation').attr('d', `M${from}L${to}`);
  if (along) stroke([x, along[0]], [x, along[1]]);
  if (across) stroke([across[0], y], [across[1], y]);
  group.append('circle').attr('r', 4).attr('cx', x).attr('cy', y);
  group.node().addEventListener('pointermove', (event) => showTip(event, cellName(cell.settings),
    `${figureName(metric)} ${spreadText(metric, cell[metric])}`, `${duration(cell.seconds.mean)}, ` +
      `${number(cell.parameters.mean)} parameters`));
  group.node().addEventListener('pointerleave', hideTip);
}

function ends({mean, deviation}, scale) {
  return deviation === null ? null : [scale(mean - deviation), scale(mean + deviation)];
}

// A scale with room for the deviations of every cell.
function figureScale(cells, figure, range) {
  const low = d3.min(cells, (cell) => cell[figure].mean - (cell[figure].deviation ?? 0));
  const high = d3.max(cells, (cell) => cell[figure].mean + (cell[figure].deviation ?? 0));
  const room = (high - low) * 0.06 || 0.5;
  return d3.scaleLinear([low - room, high + room], range);
}

// Tilts labels that are too long to stand side by side, and makes room below for the longest.
function leanLabels(svg, labels) {
  const letter = 5.5;
  if (d3.sum(labels, (label) => label.length + 2) * letter < chartSize.width - chartSize.left - chartSize.right) return;
  const room = 0.6 * letter * d3.max(labels, (label) => label.length);
  svg.select('.axis').selectAll('text').attr('text-anchor', 'end').attr('transform', 'translate(-6,0) rotate(-35)');
  svg.select('.label').attr('y', chartSize.height - 4 + room);
  svg.attr('viewBox', `0 0 ${chartSize.width} ${chartSize.height + room}`);
}

function metricTicks(metric) {
  return isShare(metric) ? percent : undefined;
}

// A figure over the settings of one axis, with a colour for each combination of the other axes. Cells without the figure
// are left out.
function axisChart(results, axis, figure) {
  const known = results.cells.filter((cell) => Number.isFinite(cell[figure]?.mean));
  const others = (cell) => cellName(Object.fromEntries(Object.entries(cell.settings).filter(([name]) => name !== axis.name)));
  const names = [...new Set(known.map(others))];
  const title = `${figureName(figure)} over ${axis.name}`;
  const frame = chartFrame(title);
  // Only numbers are joined by a line, in their order: a curve between names would mean nothing.
  const numbers = axis.labels.every((label) => label.trim() !== '' && Number.isFinite(Number(label)));
  const labels = numbers ? [...axis.labels].sort((a, b) => a - b) : axis.labels;
  const x = d3.scalePoint(labels, frame.x).padding(0.5);
  const y = figureScale(known, figure, frame.y);
  drawAxes(frame.svg, x, y, axis.name, metricTicks(figure));
  leanLabels(frame.svg, axis.labels);
  names.forEach((name, i) => {
    const shift = (i - (names.length - 1) / 2) * Math.min(7, x.step() / (names.length + 1));
    const at = (cell) => x(cell.settings[axis.name]) + shift;
    const cells = labels.map((label) => known.find((cell) => others(cell) === name && cell.settings[axis.name] === label)).filter(Boolean);
    if (numbers) frame.svg.append('path').attr('class', `line faint line-${i % 6}`).attr('d', d3.line().x(at).y((cell) => y(cell[figure].mean))(cells));
    for (const cell of cells) {
      cellPoint(frame.svg, i % 6, figure, cell, {x: at(cell), y: y(cell[figure].mean), along: ends(cell[figure], y)});
    }
  });
  return savable(element('figure', {class: 'panel'}, element('figcaption', {}, title), frame.svg.node(), names.length > 1 ? legend(names) : ''));
}

// Writes texts beside points [x, y], if possible where they cover no earlier text and no point.
function markPoints(svg, points, marks) {
  const [letter, height] = [5, 9];
  const taken = points.map(([x, y]) => [x - 4, y - 4, x + 4, y + 4]);
  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  points.forEach(([x, y], i) => {
    const width = letter * marks[i].length;
    const places = [-7, 13, -17, 23].flatMap((down) => [x + 6, x - 6 - width, x - width / 2].map((left) => [left, y + down - height, left + width, y + down]));
    const inside = places.filter((box) => box[0] > chartSize.left && box[2] < chartSize.width && box[1] > 0 && box[3] < chartSize.height - chartSize.bottom);
    const place = inside.find((box) => !taken.some((other) => meets(box, other))) ?? inside[0] ?? places[0];
    taken.push(place);
    svg.append('text').attr('class', 'mark').attr('x', place[0]).attr('y', place[3] - 1).text(marks[i]);
  });
}

// Every cell by time and quality. The line joins the cells that no other cell beats in both.
function frontChart({cells, metric}) {
  const title = `${metricName(metric)} against time`;
  const frame = chartFrame(title);
  const x = figureScale(cells, 'seconds', frame.x);
  const y = figureScale(cells, metric, frame.y);
  drawAxes(frame.svg, x, y, 'seconds of training', metricTicks(metric));
  const front = cells.filter((cell) => cell.on_front).sort((a, b) => a.seconds.mean - b.seconds.mean);
  frame.svg.append('path').attr('class', 'line front line-1').attr('d', d3.line().x((cell) => x(cell.seconds.mean)).y((cell) => y(cell[metric].mean))(front));
  for (const cell of cells) {
    cellPoint(frame.svg, cell.on_front ? 1 : 0, metric, cell, {
      x: x(cell.seconds.mean), y: y(cell[metric].mean), across: ends(cell.seconds, x), along: ends(cell[metric], y),
    });
  }
  const names = cells.map(({settings}) => Object.values(settings).join(', ') || cellName(settings));
  const short = cells.length <= 8 && names.every((name) => name.length <= 20);  // else numbers, and a list has the names
  const key = short ? '' : element('ol', {class: 'key'}, cells.map(({settings}) => element('li', {}, cellName(settings))));
  markPoints(frame.svg, cells.map((cell) => [x(cell.seconds.mean), y(cell[metric].mean)]), short ? names : cells.map((_, i) => String(i + 1)));
  return savable(element('figure', {class: 'panel'}, element('figcaption', {}, title), frame.svg.node(), legend(['cells', 'front']), key));
}

function resultsInWords({results}) {
  const told = (cell) => `${cellName(cell.settings)}: ${spreadText(results.metric, cell[results.metric])}, ${duration(cell.seconds.mean)}`;
  const best = results.cells.find((cell) => cell.best);
  const cheapest = results.cells.filter((cell) => cell.cheapest_not_significantly_worse);
  const cheapestText = cheapest.length > 1
    ? `a tie of ${cheapest.map((cell) => cellName(cell.settings)).join('; ')}, with equal multiply-adds and parameters`
    : cheapest[0] === best ? 'the same' : told(cheapest[0]);
  return [element('p', {}, element('b', {}, 'Best: '), told(best)),
    element('p', {}, element('b', {}, 'Cheapest not significantly worse: '), cheapestText),
    ...remarksOnSeeds(results)];
}

function axesSection(report) {
  const {results, axes, metrics} = report;
  const figures = [...new Set([...metrics, ...results.figures])];
  const chooser = element('select', {id: 'metric', onchange: () => draw()}, figures.map((figure) =>
    element('option', {value: figure, selected: figure === results.metric}, figureName(figure))));
  const panels = element('div', {class: 'panels'});
  const draw = () => panels.replaceChildren(...axes.map((axis) => axisChart(results, axis, chooser.value)), frontChart(results));
  draw();
  return section('charts', 'Charts', remark('Means over the seeds; bars show one standard deviation of the sample on each side.'),
    element('p', {class: 'chooser'}, element('label', {for: 'metric'}, 'Over the axes: '), chooser), panels);
}

// The figures that the sweep file lists under `show`, over every axis.
function shownSection({results, axes}) {
  const shown = results.show.filter((figure) => results.figures.includes(figure));
  const panels = shown.flatMap((figure) => axes.map((axis) => axisChart(results, axis, figure)));
  return panels.length === 0 ? [] : [section('shown', 'Beside the metric', element('div', {class: 'panels'}, panels))];
}

// Explains the words of the table. `significantly worse` and similar words are results of the bootstrap.
function cellsLegend({resamples, significance_level: level}) {
  const meanings = [
    ['to the best', 'the mean difference from the best cell over the seeds, and the interval that contains 95 % of ' +
      'the resamples'],
    ['p', `how often, of ${resamples} resamples of seeds and test examples (a paired bootstrap), the difference has ` +
      `the other sign, times two; significant below ${level}`],
    ['p (Holm)', 'p, corrected for the comparisons of all cells with the best'],
    ['pairs', 'number of seeds that both this cell and the best cell have; one pair says nothing about other seeds'],
    ['not significant', 'these seeds and examples do not show a difference from the best cell; this does not mean ' +
      'that both are equal'],
    ['better on shared seeds', 'significantly better than the best cell on the seeds that both have'],
    ['not comparable', 'tested on other examples than the best cell'],
    ['cheapest that will do', 'the cell with the fewest multiply-adds of training, then the fewest parameters, among ' +
      'the cells not significantly worse than the best; several cells if both numbers are equal'],
    ['front', 'no other cell is better in both training time and the metric'],
    ['head width', 'columns of a head’s queries, keys and values; 16/32: of queries and keys 16, of values 32; where ' +
      'attentions differ, each width once'],
    ['multiply-adds', 'multiplications, each with its addition, in the matrix products of the whole training; in ' +
      'attention only for pairs of query and key that the pattern allows'],
    ['tokens/s', 'target tokens a second in training; times are without evaluations'],
  ];
  return element('details', {open: ''}, element('summary', {}, 'What the columns mean'), definitions('meanings', meanings));
}

// Links are relative to this file, so they only work in the sweep's directory.
function runsSection(progress) {
  const name = ({run, link}) => (link ? element('a', {href: link}, run) : run);
  const pages = progress.filter((row) => row.has_page).length;
  const columns = [{name: 'run', cell: name}, {name: 'state', cell: (row) => row.state}];
  return section('runs', 'Runs',
    remark(`A name links to the run's page if there is one (${pages} of ${progress.length}), else to its directory. ` +
      '`tapehead report` on a run makes its page; on the sweep it makes this page again.'),
    table(columns, progress));
}

function sweepParts(report) {
  const {results, progress} = report;
  const parts = results ? [...chaptersSection(report), walkSection(report), section('cells', 'Cells', ...resultsInWords(report), cellsTable(report), cellsLegend(results)),
    axesSection(report), ...shownSection(report)] : [];
  return [...parts.filter(Boolean), runsSection(progress)];
}
