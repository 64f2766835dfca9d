// The tables of all heads with all their figures and their importance, and the pruning curve.

// These columns come first. All other columns keep the order of the legend.
const headsFirst = ['role', 'loss_without', 'importance'];

// These columns form a second table, so that each table fits a screen.
const headsApart = /^(divergence|nearest|query_key|value_output)/;

// A distance profile as small bars.
function profile(values) {
  const all = Object.entries(values);
  const largest = d3.max(all, ([, weight]) => weight) || 1;
  const svg = d3.create('svg').attr('class', 'profile').attr('viewBox', `0 0 ${all.length} 8`).attr('preserveAspectRatio', 'none');
  svg.selectAll('rect').data(all).join('rect')
    .attr('x', (_, i) => i + 0.1).attr('width', 0.8)
    .attr('y', ([, weight]) => 8 - (8 * weight) / largest).attr('height', ([, weight]) => (8 * weight) / largest)
    .attr('class', ([offset]) => (Number(offset) === 0 ? 'here' : ''));
  svg.append('title').text(all.map(([offset, weight]) => `${offset}: ${percent(weight)}`).join('\n'));
  return svg.node();
}

// The value at a path of names in a row.
function at(row, path) {
  return path.reduce((inner, name) => inner?.[name], row);
}

// A share of the weight; its title has the value for an even spread. Blank if the head has no such figure.
function shareCell(row, [first, ...inner]) {
  const value = at(row, [first, ...inner]);
  if (typeof value !== 'number') return '';
  const even = at(row, [`even_${first}`, ...inner]);
  return {...shade(value, percent(value)), title: even === undefined ? undefined : `even spread: ${percent(even)}`};
}

// The head of the same attention with the most similar weights, and its distance.
function nearestText(row) {
  const others = (row.divergence ?? []).map((distance, head) => ({distance, head})).filter(({head}) => head !== row.head);
  if (others.length === 0) return '';
  const nearest = others.reduce((best, one) => (one.distance < best.distance ? one : best));
  return `${nearest.distance.toFixed(2)} (${nearest.head})`;
}

// The effective rank of a head's map. Some heads have no map.
function rankText(map) {
  return map && map.effective_rank !== null ? `${map.effective_rank.toFixed(1)} of ${map.width}` : '';
}

// Cells that need more than a number or a share, by the key of the column.
const headCells = {
  role: (row) => (row.role === 'none' ? '' : element('span', {class: 'role'}, row.role)),
  distance_profile: (row) => (row.distance_profile ? profile(row.distance_profile) : ''),
  entropy: (row) => (row.entropy === null ? '' : `${row.entropy.toFixed(2)} of ${row.even_entropy.toFixed(2)}`),
  'query_key.effective_rank': ({query_key: map}) => rankText(map),
  'value_output.effective_rank': ({value_output: map}) => rankText(map),
  offset: (row) => (Number.isInteger(row.offset) ? `${d3.format('+d')(row.offset)}: ${percent(row.offset_share)}` : ''),
  divergence: nearestText,
  nearest: ({nearest}) => (nearest ? `${headKey(nearest.attention, nearest.head)} (${nearest.divergence.toFixed(2)})` : ''),
};

// An importance as a bar relative to the largest importance of all rows.
function importanceCell(rows, key, format) {
  const largest = d3.max(rows, (row) => row[key]);
  return (row) => (row[key] === undefined ? '' : bar(row[key], largest, format(row[key])));
}

// A column for each entry of the legend for which some head has a figure.
function headColumns(legend, rows) {
  const cells = {
    ...headCells,
    loss_without: importanceCell(rows, 'loss_without', d3.format('+.3f')),
    importance: importanceCell(rows, 'importance', number),
  };
  const place = ({key}) => (headsFirst.includes(key) ? headsFirst.indexOf(key) : headsFirst.length);
  return legend.columns.map(({key, name, meaning, share}) => {
    const path = key.split('.');
    const plain = (row) => {
      const value = at(row, path);
      return share ? shareCell(row, path) : typeof value === 'number' ? number(value) : String(value ?? '');
    };
    return {key, name, help: meaning, cell: cells[key] ?? plain};
  }).filter(({key}) => rows.some((row) => (at(row, key.split('.')) ?? null) !== null))
    .sort((a, b) => place(a) - place(b));
}

function headRows({attentions, importance}) {
  return attentions.flatMap(({attention, heads}) => heads.map((head) => {
    const one = importance?.heads.find((weighed) => weighed.attention === attention && weighed.head === head.head);
    const figures = one ? {loss_without: one.loss_without - importance.loss, importance: one.importance} : {};
    return {attention, ...head, ...figures};
  }));
}

function headsSection({heads}, choice) {
  if (!heads) return '';
  const rows = headRows(heads);
  const name = {name: 'head', cell: (row) => element('button', {type: 'button', class: 'link', onclick: () => choice.toggle(headKey(row.attention, row.head))}, headKey(row.attention, row.head))};
  const columns = headColumns(heads.legend, rows);
  const parts = [columns.filter(({key}) => !headsApart.test(key)), columns.filter(({key}) => headsApart.test(key))];
  const shown = parts.map((part) => table([name, ...part], rows, (row) => ({'data-head': headKey(row.attention, row.head)})));
  choice.onChange(() => {
    for (const row of shown.flatMap((one) => [...one.querySelectorAll('tbody tr')])) row.classList.toggle('chosen', choice.colours.has(row.dataset.head));
  });
  const weighed = heads.importance
    ? ` The loss without each head is over ${heads.importance.examples} of them; with all heads it is ${number(heads.importance.loss)}.` : '';
  return section('heads', 'Heads',
    remark(`Over ${heads.watched} sentences of ${heads.split}.${weighed}`),
    ...shown,
    element('details', {open: ''}, element('summary', {}, 'What the columns mean'),
      remark('Figures are means over the queries, while the decoder reads the right target. A query is a position ' +
        'from which a head attends, a key a position to which it may attend.'),
      definitions('meanings', columns.map(({name: column, help}) => [column, help])),
      remark('A head has the first role whose threshold it reaches:'),
      definitions('meanings', heads.legend.roles.map(({role, meaning}) => [role, meaning]))),
    ...(heads.notes ?? []).map((note) => remark(note)));
}

function pruningSection({heads}) {
  const pruning = heads?.pruning;
  if (!pruning) return '';
  const all = pruning.steps.length;
  const points = [[all, pruning.loss, null], ...pruning.steps.map((step, i) => [all - i - 1, step.loss, step])];
  return section('pruning', 'Pruning',
    remark(`Heads are removed one by one, each time the least important of the remaining heads; the loss is over ` +
      `${pruning.examples} sentences.`),
    element('div', {class: 'panels'}, lineChart({
      title: 'Loss by the number of heads left',
      label: 'heads left',
      series: [{name: 'loss', points}],
      tell: (_, [, loss, step]) => (step ? `loss ${number(loss)} without ${headKey(step.attention, step.head)} and those before it` : `loss ${number(loss)} with all heads`),
    })));
}
