// The table of all heads: every figure that the report has of them, and how much each matters.

const headHelp = {
  role: 'what the head is for, by thresholds; empty where none is reached',
  entropy: 'of the weights, in nats: 0 when all weight is on one key',
  confidence: 'the mean of the largest weight',
  offset: 'key position minus query position at which the largest weight lies most often',
  offset_share: 'share of the queries whose largest weight lies at that offset',
  nearest: 'the head of the same attention whose weights are most alike, and how far they are apart',
  loss_without: 'how much the loss grows without the head',
  importance: 'how fast a gate on the head would change the loss',
};

const headLeftOut = new Set(['head', 'role', 'divergence', 'even_entropy']);
const headShares = new Set(['confidence', 'offset_share']);

// A profile over distances as small bars.
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

// What lies at the path of names in a head.
function at(row, path) {
  return path.reduce((inner, name) => inner?.[name], row);
}

function isNested(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

// A column for one figure of heads, or several for figures that belong together, however deep;
// `sample` has those that there are.
function headColumns(path, sample) {
  const [first, ...inner] = path;
  if (headLeftOut.has(first) || first.startsWith('even_') || Array.isArray(sample) || sample === null) return [];
  if (isNested(sample)) {
    const keys = Object.keys(sample);
    if (keys.every((key) => /^[+-]\d+$/.test(key))) return [profileColumn(path)];
    return keys.flatMap((key) => headColumns([...path, key], sample[key]));
  }
  const share = headShares.has(first) || first.endsWith('_on');
  return [{
    name: words((first.endsWith('_on') ? inner : path).join(' ')),
    help: headHelp[first] ?? words(path.join(' ')),
    cell: (row) => (share ? shareCell(row, path) : numberOrText(at(row, path))),
  }];
}

function profileColumn(path) {
  return {
    name: words(path.join(' ')),
    help: 'weight by key position minus query position',
    cell: (row) => (at(row, path) ? profile(at(row, path)) : ''),
  };
}

function numberOrText(value) {
  return typeof value === 'number' ? number(value) : String(value ?? '');
}

// A share of the weight, with what even attention would have there.
function shareCell(row, [first, ...inner]) {
  const value = at(row, [first, ...inner]);
  const even = at(row, [`even_${first}`, ...inner]);
  return {...shade(value, percent(value)), title: even === undefined ? undefined : `even attention: ${percent(even)}`};
}

// A head that has every figure that one of the heads has.
function unionOf(rows) {
  const union = {};
  for (const [name, value] of rows.flatMap(Object.entries)) {
    union[name] = isNested(value) ? unionOf([union[name] ?? {}, value]) : value;
  }
  return union;
}

function nearestText(row) {
  const others = (row.divergence ?? []).map((distance, head) => ({distance, head})).filter(({head}) => head !== row.head);
  if (others.length === 0) return '';
  const nearest = others.reduce((best, one) => (one.distance < best.distance ? one : best));
  return `head ${nearest.head} (${nearest.distance.toFixed(2)})`;
}

function importanceColumns(importance) {
  if (!importance) return [];
  const found = (row) => importance.heads.find((one) => one.attention === row.attention && one.head === row.head);
  const loss = (one) => one.loss_without - importance.loss;
  const largestLoss = d3.max(importance.heads, loss);
  const largestSlope = d3.max(importance.heads, (one) => one.importance);
  return [
    {name: 'loss without', help: headHelp.loss_without, cell: (row) => {
      const one = found(row);
      return one ? bar(loss(one), largestLoss, d3.format('+.3f')(loss(one))) : '';
    }},
    {name: 'importance', help: headHelp.importance, cell: (row) => {
      const one = found(row);
      return one ? bar(one.importance, largestSlope, number(one.importance)) : '';
    }},
  ];
}

function headsSection({heads}, choice) {
  if (!heads) return '';
  const rows = heads.attentions.flatMap(({attention, heads: all}) => all.map((head) => ({attention, ...head})));
  const columns = [
    {name: 'head', cell: (row) => element('button', {type: 'button', class: 'link', onclick: () => choice.toggle(headKey(row.attention, row.head))}, `${attentionName(row.attention)}, ${row.head}`)},
    {name: 'role', help: headHelp.role, cell: (row) => (row.role === 'none' ? '' : element('span', {class: 'role'}, row.role))},
    ...importanceColumns(heads.importance),
    ...Object.entries(unionOf(rows)).filter(([name]) => name !== 'attention').flatMap(([name, sample]) => headColumns([name], sample)),
    {name: 'nearest', help: headHelp.nearest, cell: nearestText},
  ];
  const shown = table(columns, rows, (row) => ({'data-head': headKey(row.attention, row.head)}));
  choice.onChange(() => {
    for (const row of shown.querySelectorAll('tbody tr')) row.classList.toggle('chosen', choice.has(row.dataset.head));
  });
  const weighed = heads.importance
    ? ` The loss without each head is over ${heads.importance.examples} of them; with all heads it is ${number(heads.importance.loss)}.` : '';
  return section('heads', 'Heads',
    remark(`Over ${heads.watched} sentences of ${heads.split}.${weighed} What the columns mean: docs/heads.md.`),
    shown, (heads.notes ?? []).map((note) => remark(note)));
}

function pruningSection({heads}) {
  const pruning = heads?.pruning;
  if (!pruning) return '';
  const all = pruning.steps.length;
  const points = [[all, pruning.loss, null], ...pruning.steps.map((step, i) => [all - i - 1, step.loss, step])];
  return section('pruning', 'Pruning',
    remark(`Heads removed one after the other, each time the least important of those that are left; the loss is over ${pruning.examples} sentences.`),
    element('div', {class: 'panels'}, lineChart({
      title: 'Loss with so many heads left',
      label: 'heads left',
      series: [{name: 'loss', points}],
      tell: (_, [, loss, step]) => (step ? `loss ${number(loss)} without ${attentionName(step.attention)}, head ${step.head} and those before it` : `loss ${number(loss)} with all heads`),
    })));
}
