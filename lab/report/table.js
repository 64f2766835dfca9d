// Tables, and cells with shades and bars.

// `columns`: [{name, help, cell: (row) => content or {content, ...attributes of the td}}].
function table(columns, rows, rowAttributes = () => ({})) {
  const header = element('tr', {}, columns.map(({name, help}) => element('th', {scope: 'col', title: help}, name)));
  return withHint(scrolling(element('table', {}, element('thead', {}, header),
    element('tbody', {}, rows.map((row) => element('tr', rowAttributes(row), columns.map(({cell}) => {
      const told = cell(row);
      if (told === null || typeof told !== 'object' || told instanceof Node) return element('td', {}, told ?? '');
      const {content, ...attributes} = told;
      return element('td', attributes, content ?? '');
    })))))));
}

// Adds a hint above a table that is wider than its place, because not every screen shows a scroll bar.
function withHint(scroller) {
  const hint = element('p', {class: 'cut', hidden: ''}, 'Scroll to the right for more columns →');
  const all = element('div', {class: 'table'}, hint, scroller);
  new ResizeObserver(() => sayWhereCut(all)).observe(scroller);
  return all;
}

function sayWhereCut(all) {
  const scroller = all.querySelector('.scrolling');
  all.querySelector('.cut').hidden = scroller.scrollWidth <= scroller.clientWidth;
}

// A number with a shade as wide as the share.
function shade(share, text) {
  const part = Math.round(100 * Math.min(1, Math.max(0, share ?? 0)));
  return {content: text, class: 'shade', style: `--part: ${part}%`};
}

// A value with a bar as long as the value's part of the largest value.
function bar(value, largest, text) {
  const part = largest > 0 && value > 0 ? (100 * value) / largest : 0;
  return {class: 'bar', content: element('span', {}, element('i', {style: `width: ${part.toFixed(1)}%`}), text)};
}
