// A column of tokens as buttons. The Tab key stops at one token; arrow keys move between tokens.

function neighbour(token, key) {
  const column = token.closest('.tokens');
  switch (key) {
    case 'ArrowUp': return token.previousElementSibling;
    case 'ArrowDown': return token.nextElementSibling;
    case 'Home': return column.firstElementChild;
    case 'End': return column.lastElementChild;
    case 'ArrowLeft': return column.parentElement.querySelector('.tokens.query [tabindex="0"]');
    case 'ArrowRight': return column.parentElement.querySelector('.tokens.key [tabindex="0"]');
    default: return null;
  }
}

// `end`: 'query' or 'key'; `side`: of the sentence; `picked(position)` is called on a click.
function tokenColumn({end, side, labels, picked}) {
  const buttons = labels.map((label, i) => element('button', {
    class: 'token', type: 'button', tabindex: i === 0 ? 0 : -1, title: label,
    'data-end': end, 'data-side': side, 'data-position': i, 'aria-label': `${end} ${i + 1}: ${label}`,
    onclick: () => picked(i),
  }, label));
  return element('div', {
    class: `tokens ${end}`, role: 'group', 'aria-label': end === 'query' ? 'queries' : 'keys',
    onkeydown: (event) => {
      const next = neighbour(event.target, event.key);
      if (!next) return;
      event.preventDefault();
      next.closest('.tokens').querySelector('[tabindex="0"]').tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    },
  }, buttons);
}
