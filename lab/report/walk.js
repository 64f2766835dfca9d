// One head in numbers: each matrix on the way of a head for one text. The row of one token is followed through them all.

// "64 × 512", and how much of it is shown.
function shapeText({shape, values}) {
  const cut = [values, values[0]].map(({length}, k) => length < shape[k] && `first ${length} of ${shape[k]} ${['rows', 'columns'][k]}`);
  return [shape.join(' × '), ...cut.filter(Boolean)].join(', ');
}

// A cell's colour is the sign of its number; it is the stronger, the nearer the number is to the largest of the matrix.
// Rows and columns of tokens are as wide as those of `edge`, all others small.
function stepCells({values, rows, columns}) {
  const [height, width] = [values.length, values[0].length];
  const largest = d3.max(values.flat(), (value) => Math.abs(value)) || 1;
  const signed = (sign) => heatmap(values.map((row) => row.map((value) => Math.max(0, (sign * value) / largest))), 20);
  const small = Math.max(3, Math.min(12, Math.floor(160 / Math.max(height, width))));
  const wide = columns ? cellSize : rows ? Math.max(4, Math.min(cellSize, Math.floor(272 / width))) : small;
  const high = rows ? cellSize : height === 1 ? 12 : small;
  const svg = signed(1).attr('class', rows === 'query' ? 'cells' : null).attr('width', width * wide).attr('height', height * high);
  for (const path of [...signed(-1).node().children]) svg.append(() => path).attr('class', 'negative');
  svg.append('path').attr('class', 'hatch').attr('d', values.flatMap((row, i) => row.map((value, j) => (value === null ? `M${j} ${i + 1}l1 -1` : ''))).join(''));
  const rules = d3.range(0, height + 1, rows ? 1 : height).map((i) => `M0 ${i}H${width}`)
    .concat(d3.range(0, width + 1, columns ? 1 : width).map((j) => `M${j} 0V${height}`));
  svg.append('path').attr('class', 'rules').attr('d', rules.join(''));
  if (rows === 'query') svg.append('rect').attr('class', 'picked').attr('width', width).attr('height', 1);
  return svg.node();
}

// The figure of a step, and `follow(i)`, which marks the row of a query and writes its numbers. A click calls `picked(i)`.
function stepFigure(step, walk, picked) {
  const {rows, columns, values} = step;
  const tokens = {query: walk.queries, key: walk.keys}[rows];
  const cells = stepCells(step);
  const map = element('div', {class: 'large-map'}, columns ? [element('div', {class: 'corner'}), edge(walk.keys.slice(0, values[0].length), true)] : [],
    rows ? edge(tokens.slice(0, values.length), false) : [], cells);
  cells.addEventListener('pointermove', (event) => {
    const {i, j} = cellUnder(event, cells, values) ?? {};
    if (i === undefined) return;
    showTip(event, `${rows ? tokens[i] : `row ${i + 1}`}${columns ? ` → ${walk.keys[j]}` : `, column ${j + 1}`}`, values[i][j] ?? '-∞, so that its weight is 0');
  });
  cells.addEventListener('pointerleave', hideTip);
  const [scroller, numbers] = [scrolling(map), element('div', {class: 'scrolling numbers', tabindex: 0})];
  const view = savable(element('figure', {class: 'step', 'data-step': step.step},
    element('figcaption', {}, element('code', {}, step.formula ? `${step.name} = ${step.formula}` : step.name)),
    remark(element('b', {}, shapeText(step)), ` ${step.help}.${values.flat().includes(null) ? ' Hatched cells are -∞.' : ''}`), scroller));
  if (rows !== 'query') return {view, follow: () => {}};
  view.append(numbers);
  map.addEventListener('click', (event) => {
    const part = event.target.closest('.cells, .queries');
    if (part) picked(cellUnder(event, part, values).i);
  });
  const follow = (i) => {
    markRow(map, i);
    scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, map.offsetHeight - (values.length - i - 1) * cellSize - scroller.clientHeight), i * cellSize);
    numbers.replaceChildren(...values[i].map((value, j) => element('span', {}, columns ? element('small', {}, walk.keys[j]) : '', value === null ? '-∞' : number(value))));
  };
  return {view, follow};
}

// The weights that a row of scores makes if all of them are multiplied by a factor.
function softmax(scores, factor) {
  const parts = scores.map((score) => (score === null ? 0 : Math.exp(factor * (score - d3.max(scores)))));
  return parts.map((part) => part / (d3.sum(parts) || 1));
}

// What a row's weights would be if its scores were multiplied by a factor from 1/8 to 8, beside those of the model.
function scaleFigure({keys, steps}) {
  const at = steps.findIndex(({step}) => step === 'weights');
  const [scores, weights] = [steps[at - 1], steps[at]];
  if (weights.shape[1] > weights.values[0].length) return {view: '', follow: () => {}};  // the sum over all keys is not known
  const stepOf = (key) => steps.find(({step}) => step === key);
  const root = stepOf('scaled')?.formula.match(/√(\d+)/)?.[1];  // d_k or the width of the model
  const undone = root ? ` Dividing by ${Number(root) === stepOf('query').shape[1] ? '√d_k = ' : ''}√${root} is undone by the factor ` +
    `${number(Math.sqrt(root))}${stepOf('biased') ? ', which also multiplies B' : ''}.` : '';
  let shown = {row: 0, factor: 1};
  const [said, bars] = [element('output', {for: 'score-factor'}), element('div')];
  const draw = (change) => {
    const {row, factor} = shown = {...shown, ...change};
    said.textContent = ` ${Number(factor.toPrecision(3))}${factor === 1 ? ', as in the model' : ''}`;
    const own = weights.values[row];
    const column = (name, some) => ({name, cell: (j) => bar(some[j], 1, percent(some[j], 1))});
    bars.replaceChildren(table([{name: 'key', cell: (j) => element('code', {}, keys[j])}, column('the model', own),
      column('with the factor', factor === 1 ? own : softmax(scores.values[row], factor))], d3.range(own.length)));
  };
  const places = slider('score-factor', `Factor of ${scores.name} `, 25, (place) => draw({factor: 2 ** (place / 4 - 3)}));
  places.querySelector('input').value = 12;
  places.append(said);
  return {follow: (row) => draw({row}), view: element('div', {class: 'step scale'}, element('h3', {}, 'What if the scores were larger or smaller?'),
    places, remark(`Larger scores: one token takes all; smaller scores: all get alike.${undone}`), bars)};
}

function walkSection({walk}) {
  if (!walk) return '';
  const {head, queries, keys, steps, point} = walk;
  const [dot, rows] = [head.lastIndexOf('.'), steps.find(({step}) => step === 'query').values.length];
  const chooser = element('select', {id: 'followed', onchange: () => figures.forEach((one) => one.follow(Number(chooser.value)))},
    queries.slice(0, rows).map((token, i) => element('option', {value: i}, `${i + 1}: ${token}`)));
  const picked = (i) => {
    chooser.value = i;
    chooser.dispatchEvent(new Event('change'));
  };
  const figures = steps.flatMap((step) => [stepFigure(step, walk, picked), ...(step.step === 'weights' ? [scaleFigure(walk)] : [])]);
  picked(Math.min(rows - 1, 4));  // the first row of a causal pattern shows little; later rows may be out of sight
  const text = (tokens) => element('code', {}, tokens.slice(0, 64).join(' '));
  return section('walk', 'One head in numbers',
    remark(`${point ? `In “${point}”: what` : 'What'} ${headName(head.slice(0, dot), head.slice(dot + 1))}, computes where the tokens `, text(queries), ' look at ', keys.join(' ') === queries.join(' ') ? 'one another' : text(keys),
      ': each matrix is made of those before it, by the formula above it. One token is followed: its row is framed, and its numbers stand below. Of K and V it uses all rows.'),
    remark('Blue cells are positive, orange cells negative; the stronger, the nearer to the largest number of their matrix. Point at a cell to see its number; click a row to follow its token.'),
    element('p', {class: 'chooser'}, element('label', {for: 'followed'}, 'Followed token '), chooser),
    element('div', {class: 'steps'}, figures.map(({view}) => view)));
}
