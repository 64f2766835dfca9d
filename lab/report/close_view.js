// The chosen heads on a sentence in detail: lines, large maps, and the row of the selected token.

function largeMaps(heads, sentence, choice, selected, roles) {
  const maps = heads.map(({rows, queries, keys}) => largeMap({
    rows, queries: queryLabels(sentence, queries), keys: tokensOf(sentence, keys),
    pointed: (cell) => maps.forEach((map) => markCell(map, cell)),
    picked: (i) => selected.toggle(queries, i),
  }));
  return heads.map(({key, name, queries, colour}, i) => {
    const role = roles[key] && roles[key] !== 'none' ? `: ${roles[key]}` : '';
    return savable(element('figure', {class: 'compared', 'data-head': key, 'data-queries': queries},
      element('figcaption', {}, swatch(colour), element('b', {}, name), role,
        element('button', {type: 'button', class: 'close', 'aria-label': 'close', onclick: () => choice.toggle(key)}, '×')),
      scrolling(maps[i])));
  });
}

// The view, and `draw(sentence)`, which redraws it.
function closeView(choice, roles) {
  const [lines, row, maps] = ['between-tokens', 'row', 'comparison'].map((name) => element('div', {class: name}));
  row.setAttribute('aria-live', 'polite');
  let shown = null;
  let selected = null;
  const drawRow = () => {
    row.replaceChildren(...rowTables(chosenHeads(shown, choice), shown, selected));
    for (const token of lines.querySelectorAll('.token')) {
      token.setAttribute('aria-pressed', selected.on(token.dataset.side) === Number(token.dataset.position));
    }
    for (const place of lines.querySelectorAll('.between')) place.dispatchEvent(new Event('selected'));
    for (const figure of maps.querySelectorAll('.compared')) {
      markRow(figure.querySelector('.large-map'), selected.on(figure.dataset.queries));
    }
  };
  const draw = (sentence) => {
    if (sentence.source_tokens !== shown?.source_tokens) selected = new TokenChoice(drawRow);
    shown = sentence;
    const heads = chosenHeads(sentence, choice);
    const sides = d3.nest().key(({queries, keys}) => `${queries} ${keys}`).entries(heads);
    lines.replaceChildren(...sides.map(({values}) => linesFigure(values, sentence, selected)));
    maps.replaceChildren(...largeMaps(heads, sentence, choice, selected, roles));
    drawRow();
  };
  const told = remark('Lines go from queries to keys; a stronger line has more weight. Each query has lines for 95 % of its weight, ' +
    `at most ${mostLines}. Point at a token, or choose it with Tab and the arrow keys, to see only its lines; a click keeps them.`);
  return {draw, view: element('div', {}, told, lines, maps, row)};
}
