// The curves of a run: every figure that was recorded during the training.

const curveTitles = {
  loss: 'Loss (nats)',
  distinct_1: 'Distinct words of the samples',
  distinct_2: 'Distinct pairs of words of the samples',
  tokens_per_second: 'Target tokens a second',
};

// The perplexity is exp(loss), so its curve would tell nothing new.
const curvesLeftOut = new Set(['step', 'perplexity']);

function curvesSection(report) {
  const {curves} = report;
  if (!curves) return '';
  const kinds = [['training', curves.training], ['validation', curves.evaluations]];
  const names = [...new Set(kinds.flatMap(([, kind]) => Object.keys(kind)))].filter((name) => !curvesLeftOut.has(name));
  const panelsOf = (some) => some.map((name) => lineChart({
    // Capitalises a name in lower case, such as "Token F1", but not chrF.
    title: curveTitles[name] ?? metricName(name).replace(/^[a-z]+(?= |$)/, (word) => word[0].toUpperCase() + word.slice(1)),
    label: 'step',
    series: kinds.map(([kind, values]) => ({name: kind, points: (values[name] ?? []).map((value, i) => [values.step[i], value])})),
    format: (value) => metricText(name, value),
    ticks: metricTicks(name),
  })).filter(Boolean);
  const first = (name) => ['loss', report.metric, 'learning_rate'].includes(name);
  const panels = panelsOf(names.filter(first)).concat(positionPanels(report));
  const more = panelsOf(names.filter((name) => !first(name)));
  if (panels.length + more.length === 0) return section('curves', 'Curves', remark('No step has been made yet.'));
  const thinned = [['training', curves.steps_a_point, 'steps'], ['validation', curves.evaluations_a_point, 'evaluations']]
    .map(([kind, many, what]) => (many > 1 ? remark(`A point of ${kind} is the mean over ${many} ${what}.`) : ''));
  return section('curves', 'Curves', thinned, element('div', {class: 'panels'}, panels), positionRemarks(report),
    more.length === 0 ? '' : element('details', {}, element('summary', {}, `${more.length} more curves, many of a shape like these`), element('div', {class: 'panels'}, more)));
}
