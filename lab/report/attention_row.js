// The row of one query: the keys with the largest weights, for each chosen head.

const mostKeys = 8;

// The largest weights of a row with their keys, in falling order; among equal weights, the first key comes first.
function largestWeights(row, most) {
  return row.map((weight, key) => ({key, weight})).sort((a, b) => b.weight - a.weight).slice(0, most);
}

// The selected token, as a side of the sentence and a position, or no token. `end`: whether its lines begin there
// ('query') or end there ('key'), if they could do both. Each change calls `changed`.
class TokenChoice {
  constructor(changed) {
    this.side = null;
    this.position = null;
    this.end = null;
    this.changed = changed;
  }

  // The selected position on this side, or null.
  on(side) {
    return side === this.side ? this.position : null;
  }

  // Selects a token. If it is selected already, deselects it.
  toggle(side, position, end = 'query') {
    const again = this.on(side) === position;
    this.end = end;
    this.side = again ? null : side;
    this.position = again ? null : position;
    this.changed();
  }
}

function rowTable({name, rows, keys, colour}, sentence, position) {
  const tokens = tokensOf(sentence, keys);
  const shown = largestWeights(rows[position], mostKeys).filter(({weight}) => weight > 0);
  const columns = [
    {name: 'key', cell: ({key}) => element('code', {}, tokens[key])},
    {name: 'position', cell: ({key}) => String(key + 1)},
    {name: 'weight', cell: ({weight}) => bar(weight, 1, percent(weight, 1))},
  ];
  return element('figure', {class: `row-table line-${colour}`},
    element('figcaption', {}, swatch(colour), name),
    shown.length > 0 ? table(columns, shown) : remark('This query has no weights.'));
}

function rowTables(heads, sentence, selected) {
  if (heads.length === 0) return [remark('No head is chosen.')];
  if (selected.side === null) return [remark('Click a token, or a row of a map, to list the keys with its largest weights.')];
  const {side, position} = selected;
  const looking = heads.filter((head) => head.queries === side && position < head.rows.length);
  const title = element('div', {class: 'row-title'},
    element('h3', {}, `Largest weights of “${queryLabels(sentence, side)[position]}” at position ${position + 1}`),
    element('button', {type: 'button', class: 'close', 'aria-label': 'close', onclick: () => selected.toggle(side, position)}, '×'));
  if (looking.length === 0) return [title, remark('None of the chosen heads has a query at this token.')];
  return [title, element('div', {class: 'row-tables'}, looking.map((head) => rowTable(head, sentence, position)))];
}
