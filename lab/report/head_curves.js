// A figure of the heads during the training, at every checkpoint that the run keeps.

function headCurvesSection({head_curves: history}) {
  if (!history) return '';
  const {attentions, steps, split, watched, relations, roles} = history;
  const all = [...new Set(attentions.flatMap(({figures}) => Object.keys(figures)))];
  const names = all.sort((a, b) => b.startsWith('follows ') - a.startsWith('follows '));
  const panels = element('div', {class: 'panels'});
  const draw = (name) => panels.replaceChildren(...attentions.filter(({figures}) => figures[name]).map(({attention, figures}) => lineChart({
    title: attentionName(attention),
    label: 'step',
    series: figures[name][0].map((_, head) => ({name: `head ${head}`, points: steps.map((step, i) => [step, figures[name][i][head]])})),
    format: (share) => percent(share, 1),
    ticks: percent,
    range: [0, 1],
  })));
  const chooser = element('select', {id: 'head-figure', onchange: () => draw(chooser.value)},
    names.map((name) => element('option', {value: name}, words(name))));
  draw(names[0]);
  // Since which step a head has followed a relation, or has had its role.
  const since = relations.map(({relation, head, agreement, step}) =>
    `${head} follows “${relation}” from step ${step} on (${percent(agreement)} of the queries at the end).`)
    .concat(roles.map(({head, role, step}) => `${head}: ${role} from step ${step} on.`));
  return section('head-curves', 'Heads over the training',
    remark(`At ${steps.length} checkpoints, over ${watched} sentences of ${split}.`),
    element('ul', {class: 'since'}, since.map((text) => element('li', {}, text))),
    element('p', {class: 'chooser'}, element('label', {for: 'head-figure'}, 'Figure '), chooser), panels);
}
