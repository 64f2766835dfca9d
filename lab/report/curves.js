// The curves of a run: every figure that it wrote while it trained.

const curveTitles = {
  loss: 'Loss (nats)',
  token_accuracy: 'Token accuracy',
  sequence_accuracy: 'Sequence accuracy',
  accuracy: 'Accuracy',
  macro_f1: 'Macro F1',
  exact_match: 'Exact match',
  token_f1: 'Token F1',
  distinct_1: 'Distinct words of the samples',
  distinct_2: 'Distinct pairs of words of the samples',
  learning_rate: 'Learning rate',
  gradient_norm: 'Gradient norm',
  tokens_per_second: 'Target tokens a second',
};

// The perplexity is the loss in another coin.
const curvesLeftOut = new Set(['step', 'perplexity']);

function curvePoints(curves, name) {
  return (curves[name] ?? []).map((value, i) => [curves.step[i], value]);
}

function curvesSection(report) {
  const {curves} = report;
  if (!curves) return '';
  const kinds = [['training', curves.training], ['validation', curves.evaluations]];
  const names = [...new Set(kinds.flatMap(([, kind]) => Object.keys(kind)))].filter((name) => !curvesLeftOut.has(name));
  const panels = names.map((name) => lineChart({
    title: curveTitles[name] ?? metricName(name),
    label: 'step',
    series: kinds.map(([kind, values]) => ({name: kind, points: curvePoints(values, name)})),
    format: (value) => metricText(name, value),
    ticks: isShare(name) ? percent : undefined,
  })).filter(Boolean).concat(positionPanels(report));
  if (panels.length === 0) return section('curves', 'Curves', remark('No step has been made yet.'));
  const thinned = curves.steps_a_point > 1
    ? remark(`A point of training is the mean over ${curves.steps_a_point} steps.`) : '';
  return section('curves', 'Curves', thinned, element('div', {class: 'panels'}, panels), positionRemarks(report));
}
