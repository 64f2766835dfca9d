// The row of one query: which keys each chosen head weights most.

const mostKeys = 8;

// The largest weights of a row with their keys, the largest first; of equal ones, the first key first.
function largestWeights(row, most) {
  return row.map((weight, key) => ({key, weight})).sort((a, b) => b.weight - a.weight).slice(0, most);
}

// The token that is looked at closely: a side of the sentence and a position there, or none. `changed` hears of each.
class TokenChoice {
  constructor(changed) {
    this.side = null;
    this.position = null;
    this.changed = changed;
  }

  // The position that is chosen on a side, or null.
  on(side) {
    return side === this.side ? this.position : null;
  }

  // Chooses a token or, if it is the one that is chosen, none.
  toggle(side, position) {
    const again = this.on(side) === position;
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
    {name: 'weight', cell: ({weight}) => bar(weight, 1000, percent(weight / 1000, 1))},
  ];
  return element('figure', {class: `row-table line-${colour}`},
    element('figcaption', {}, swatch(colour), name),
    shown.length > 0 ? table(columns, shown) : remark('It looks at nothing.'));
}

function rowTables(heads, sentence, selected) {
  if (heads.length === 0) return [remark('No head is chosen.')];
  if (selected.side === null) return [remark('A click on a token, or on a row of a map, lists the keys with the largest weights.')];
  const {side, position} = selected;
  const looking = heads.filter((head) => head.queries === side && position < head.rows.length);
  const title = element('div', {class: 'row-title'},
    element('h3', {}, `Largest weights of “${queryLabels(sentence, side)[position]}” at position ${position + 1}`),
    element('button', {type: 'button', class: 'close', 'aria-label': 'close', onclick: () => selected.toggle(side, position)}, '×'));
  if (looking.length === 0) return [title, remark('None of the chosen heads looks from this token.')];
  return [title, element('div', {class: 'row-tables'}, looking.map((head) => rowTable(head, sentence, position)))];
}
