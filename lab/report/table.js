// Tables of the heads and of sweeps.

// `columns`: [{name, help, cell: (row) => content or {content, ...attributes of the td}}].
function table(columns, rows, rowAttributes = () => ({})) {
  const header = element('tr', {}, columns.map(({name, help}) => element('th', {scope: 'col', title: help}, name)));
  return scrolling(element('table', {}, element('thead', {}, header),
    element('tbody', {}, rows.map((row) => element('tr', rowAttributes(row), columns.map(({cell}) => {
      const told = cell(row);
      if (told === null || typeof told !== 'object' || told instanceof Node) return element('td', {}, told ?? '');
      const {content, ...attributes} = told;
      return element('td', attributes, content ?? '');
    }))))));
}

// A share as a shade behind its number.
function shade(share, text) {
  const part = Math.round(100 * Math.min(1, Math.max(0, share ?? 0)));
  return {content: text, class: 'shade', style: `--part: ${part}%`};
}

// A value as a bar as long as its part of the largest.
function bar(value, largest, text) {
  const part = largest > 0 && value > 0 ? (100 * value) / largest : 0;
  return {class: 'bar', content: element('span', {}, element('i', {style: `width: ${part.toFixed(1)}%`}), text)};
}
