// The share of right outputs by type of example, for tasks whose examples have types.

function typeTable({types, type_groups: groups = []}) {
  const row = (name, {examples, sequence_accuracy: right}) => element('tr', {}, element('th', {scope: 'row'}, name),
    element('td', {class: 'edge'}, String(examples)), element('td', {class: 'edge'}, percent(right, 1)));
  const heading = (name) => element('th', {scope: 'col'}, name);
  return withHint(scrolling(element('table', {class: 'types'},
    element('thead', {}, element('tr', {}, ['type', 'examples', 'sequences right'].map(heading))),
    element('tbody', {}, types.map((one) => row(one.type, one))),
    element('tfoot', {}, groups.map((one) => row(one.group, one))))));
}

function typesSection({tests}) {
  const all = partsOfTests(tests, (figures) => figures.types?.length > 0 && figures);
  if (all.length === 0) return '';
  return section('types', 'Types',
    remark('How many outputs are exactly right, by type of example; groups of types are below the types.'),
    all.flatMap(([split, figures]) => [element('h3', {}, split), typeTable(figures)]));
}
