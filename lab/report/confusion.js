// The confusion matrix of a labelled task: a row for each right class, a column for each predicted class.

// The colour shows the share of the row, so that rare classes are as visible as frequent ones. Its square root makes
// the few wrong predictions visible beside the many right ones.
function countCell({classes, counts}, edges, i, j) {
  const count = counts[i][j];
  const heat = count > 0 ? Math.sqrt(count / edges[i].examples) : 0;
  return element('td', {
    class: i === j ? 'count right-class' : 'count', style: `--heat-share: ${heat.toFixed(3)}`,
    title: `${classes[j]} for ${classes[i]}: ${count} of ${edges[i].examples}`,
  }, count > 0 ? String(count) : '');
}

function confusionTable(confusion) {
  const {classes, counts} = confusion;
  const many = classes.length > 10;
  const share = (value) => percent(value, many ? 0 : 1);
  const shareOf = (part, all) => (all > 0 ? part / all : null);
  const edges = classes.map((_, k) => {
    const [predicted, examples] = [d3.sum(counts, (row) => row[k]), d3.sum(counts[k])];
    return {examples, precision: shareOf(counts[k][k], predicted), recall: shareOf(counts[k][k], examples)};
  });
  const right = d3.sum(classes, (_, k) => counts[k][k]);
  const cell = (text) => element('td', {class: 'edge'}, text);
  const heading = (name) => element('th', {scope: 'col', class: 'class-name'}, element('span', {}, name));
  const head = element('tr', {}, element('th', {scope: 'col'}, 'right \\ predicted'), classes.map(heading), heading('examples'), heading('recall'));
  const rows = classes.map((name, i) => element('tr', {}, element('th', {scope: 'row'}, name),
    classes.map((_, j) => countCell(confusion, edges, i, j)), cell(String(edges[i].examples)), cell(share(edges[i].recall))));
  const foot = element('tr', {}, element('th', {scope: 'row'}, 'precision'), edges.map(({precision}) => cell(share(precision))),
    cell(''), cell(share(right / d3.sum(edges, ({examples}) => examples))));
  return withHint(scrolling(element('table', {class: many ? 'confusion many' : 'confusion'},
    element('thead', {}, head), element('tbody', {}, rows), element('tfoot', {}, foot))));
}

function confusionSection({tests}) {
  const all = partsOfTests(tests, ({confusion}) => confusion?.classes.length > 0 && confusion);
  if (all.length === 0) return '';
  return section('confusion', 'Confusion',
    remark('How often each class was predicted for the examples of each class; a stronger colour is a larger share of ' +
      'the row. Recall is the share of right predictions among a class’s examples, precision among the predictions of ' +
        'the class. The accuracy is at the bottom right.'),
    all.flatMap(([split, confusion]) => [element('h3', {}, split), confusionTable(confusion)]));
}
