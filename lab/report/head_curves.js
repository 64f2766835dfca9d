// A figure of the heads during the training, at every checkpoint that the run keeps.

function headCurve({attention, figures}, name, steps) {
  const heads = figures[name][0].map((_, head) => head);
  return lineChart({
    title: attentionName(attention),
    label: 'step',
    series: heads.map((head) => ({name: `head ${head}`, points: steps.map((step, i) => [step, figures[name][i][head]])})),
    format: (share) => percent(share, 1),
    ticks: percent,
    range: [0, 1],
  });
}

// Texts about the step since which a head has followed a relation, or has had its role.
function sinceTexts({relations, roles}) {
  return relations.map(({relation, head, agreement, step}) =>
    `${head} follows “${relation}” from step ${step} on (${percent(agreement)} of the queries at the end).`)
    .concat(roles.map(({head, role, step}) => `${head}: ${role} from step ${step} on.`));
}

function headCurvesSection({head_curves: history}) {
  if (!history) return '';
  const {attentions, steps, split, watched} = history;
  const all = [...new Set(attentions.flatMap(({figures}) => Object.keys(figures)))];
  const names = all.sort((a, b) => b.startsWith('follows ') - a.startsWith('follows '));
  const panels = element('div', {class: 'panels'});
  const draw = (name) => panels.replaceChildren(...attentions.filter(({figures}) => figures[name]).map((one) => headCurve(one, name, steps)));
  const chooser = element('select', {id: 'head-figure', onchange: () => draw(chooser.value)},
    names.map((name) => element('option', {value: name}, words(name))));
  draw(names[0]);
  return section('head-curves', 'Heads over the training',
    remark(`At ${steps.length} checkpoints, over ${watched} sentences of ${split}.`),
    element('ul', {class: 'since'}, sinceTexts(history).map((text) => element('li', {}, text))),
    element('p', {class: 'chooser'}, element('label', {for: 'head-figure'}, 'Figure '), chooser), panels);
}
