// The share of right outputs by type of example, for tasks whose examples have types.

// The name, the types and their groups of each split that has types.
function typed(tests = {}) {
  return Object.entries(tests).filter(([, {types}]) => types?.length > 0)
    .map(([split, {types, type_groups: groups = []}]) => ({split, types, groups}));
}

function typeTable({types, groups}) {
  const row = (name, {examples, sequence_accuracy: right}) => element('tr', {}, element('th', {scope: 'row'}, name),
    element('td', {class: 'edge'}, String(examples)), element('td', {class: 'edge'}, percent(right, 1)));
  const heading = (name) => element('th', {scope: 'col'}, name);
  return withHint(scrolling(element('table', {class: 'types'},
    element('thead', {}, element('tr', {}, ['type', 'examples', 'sequences right'].map(heading))),
    element('tbody', {}, types.map((one) => row(one.type, one))),
    element('tfoot', {}, groups.map((one) => row(one.group, one))))));
}

function typesSection({tests}) {
  const all = typed(tests);
  if (all.length === 0) return '';
  return section('types', 'Types',
    remark('How many outputs are exactly right, by type of example; below the types their groups.'),
    all.flatMap((one) => [element('h3', {}, one.split), typeTable(one)]));
}
