// The parts of a page that show a run's records: header, samples, config and environment.

// Left out: metrics that repeat another metric in other words, and figures that are no metrics.
const testsLeftOut = new Set(['perplexity', 'token_accuracy', 'unknown_tokens', 'examples', 'seconds']);

function header({name, state, summary = [], tests = {}}) {
  const facts = summary.map(([label, value]) => [label, typeof value === 'number' ? number(value) : value]);
  for (const [split, metrics] of Object.entries(tests)) {
    for (const metric of Object.keys(metrics).filter((name) => !testsLeftOut.has(name))) {
      if (typeof metrics[metric] === 'number') facts.push([`${split}, ${metricName(metric)}`, metricText(metric, metrics[metric])]);
    }
  }
  return element('header', {},
    element('h1', {}, name, state ? element('span', {class: `state ${state.name}`}, state.name) : ''),
    state ? element('p', {}, state.text) : '',
    facts.length === 0 ? '' : definitions('facts', facts.map(([label, value]) => [label, String(value)])));
}

// The samples of a language model during the training, the latest first; or the outputs on some sentences.
function samplesSection({sentences, samples}) {
  if (samples) {
    return section('samples', 'Samples',
      remark('What the model generated at each evaluation. Every step draws its samples with the same random numbers.'),
      [...samples].reverse().map(({step, texts}, i) => element('details', i === 0 ? {open: ''} : {},
        element('summary', {}, `step ${step}`), texts.map((text) => element('pre', {class: 'written'}, String(text))))));
  }
  if (!sentences?.some(({output}) => output !== undefined)) return '';
  const wrong = sentences.filter((one) => !one.right).length;
  const told = wrong === 0 ? 'All outputs equal their references.' : `${wrong} of ${sentences.length} outputs differ from their references.`;
  return section('samples', 'Samples', remark(told), element('ol', {class: 'samples'}, sentences.map((one) => element(
    'li', {value: one.number, class: one.right ? 'right' : 'wrong'},
    element('div', {class: 'source'}, one.source),
    element('div', {class: 'output'}, one.output || '(nothing)'),
    one.right ? '' : element('div', {class: 'reference'}, `reference: ${one.reference}`)))));
}

function configSection({config}) {
  if (!config) return '';
  const columns = [
    {name: 'option', cell: (row) => row.option},
    {name: 'value', cell: (row) => element('code', {}, row.value)},
    {name: 'from', cell: (row) => row.origin},
  ];
  const followed = (row) => ['default', 'auto', ''].includes(row.origin);
  const own = config.filter((row) => !followed(row));
  const rest = config.filter(followed);
  return section('config', 'Config', table(columns, own),
    element('details', {}, element('summary', {}, `${rest.length} more options: defaults, and values that follow from other options`), table(columns, rest)));
}

function environmentSection({environment}) {
  if (!environment) return '';
  return section('environment', 'Environment', table(
    [{name: '', cell: ([label]) => label}, {name: '', cell: ([, value]) => String(value)}], environment));
}
