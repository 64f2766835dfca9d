// The attention of every head on a sentence, and chosen heads side by side.

function rolesByHead(heads) {
  const roles = {};
  for (const {attention, heads: all} of heads?.attentions ?? []) {
    for (const {head, role} of all) roles[headKey(attention, head)] = role;
  }
  return roles;
}

function tokensOf(sentence, side) {
  return side === 'source' ? sentence.source_tokens : sentence.target_tokens;
}

// A position of the decoder reads one token and has to say the next.
function queryLabels(sentence, side) {
  return side === 'source' ? sentence.source_tokens : sentence.target_tokens.map((token, i) => (sentence.said_tokens[i] ? `${token} > ${sentence.said_tokens[i]}` : token));
}

function smallMapButton(sentence, attention, head, choice, role) {
  const key = headKey(attention.attention, head);
  const rows = attention.heads[head];
  const [queries, keys] = [queryLabels(sentence, attention.queries), tokensOf(sentence, attention.keys)];
  const map = smallMap(rows);
  const name = `head ${head}`;
  const button = element('button', {
    class: 'head', type: 'button', 'data-head': key, 'aria-label': `${attentionName(attention.attention)}, ${name}`,
    onclick: () => choice.toggle(key),
    onpointermove: (event) => {
      const cell = cellUnder(event, map, rows);
      if (cell) showTip(event, name, ...cellText(rows, queries, keys, cell.i, cell.j));
    },
    onpointerleave: hideTip,
  }, map, element('span', {}, name), element('small', {}, role && role !== 'none' ? role : ' '));
  return button;
}

function comparison(heads, sentence, choice, selected, roles) {
  const maps = heads.map(({rows, queries, keys}) => largeMap({
    rows, queries: queryLabels(sentence, queries), keys: tokensOf(sentence, keys),
    pointed: (cell) => maps.forEach((map) => markCell(map, cell)),
    picked: (i) => selected.toggle(queries, i),
  }));
  return heads.map(({key, name, queries, colour}, i) => {
    const role = roles[key] && roles[key] !== 'none' ? `: ${roles[key]}` : '';
    return element('figure', {class: 'compared', 'data-head': key, 'data-queries': queries},
      element('figcaption', {}, swatch(colour), element('b', {}, name), role,
        element('button', {type: 'button', class: 'close', 'aria-label': 'close', onclick: () => choice.toggle(key)}, '×')),
      scrolling(maps[i]));
  });
}

// Marks the selected token wherever it is shown.
function markSelected(part, selected) {
  for (const token of part.querySelectorAll('.token')) {
    token.setAttribute('aria-pressed', selected.on(token.dataset.side) === Number(token.dataset.position));
  }
  for (const figure of part.querySelectorAll('.compared')) {
    markRow(figure.querySelector('.large-map'), selected.on(figure.dataset.queries));
  }
}

// A sentence that says something of its heads, and can be taken in at once.
function firstSentence(sentences) {
  const length = ({source_length: source, target_length: target}) => Math.max(source, target);
  const fits = sentences.filter((one) => length(one) <= 16);
  const best = fits.reduce((longest, one) => (longest && length(longest) >= length(one) ? longest : one), null);
  return sentences.indexOf(best ?? sentences[0]);
}

function readsAndSays(sentences) {
  return sentences.some(({said_tokens: said}) => said.length > 0)
    ? remark('In the decoder a row “a > b” is the position that reads a and has to say b; columns are the tokens that are read.') : '';
}

function sentenceChooser(sentences, draw) {
  const chooser = element('select', {id: 'sentence', onchange: draw}, sentences.map((one, i) =>
    element('option', {value: i}, `${one.number}: ${one.source}`)));
  chooser.value = firstSentence(sentences);
  return chooser;
}

function cutText({source_tokens: source, target_tokens: target, source_length, target_length}) {
  const shown = Math.max(source.length, target.length);
  return Math.max(source_length, target_length) > shown ? `Only the first ${shown} tokens are shown.` : '';
}

function allHeads(sentence, choice, roles) {
  return sentence.attentions.map((attention) => element('div', {class: 'attention'},
    element('h3', {}, attentionName(attention.attention)),
    element('div', {class: 'heads'}, attention.heads.map((_, head) => smallMapButton(
      sentence, attention, head, choice, roles[headKey(attention.attention, head)])))));
}

function attentionSection({sentences, heads}, choice) {
  if (!sentences?.length) return '';
  const roles = rolesByHead(heads);
  const selected = new TokenChoice();
  const [lines, row, side, all] = ['between-tokens', 'row', 'comparison', 'maps'].map((name) => element('div', {class: name}));
  row.setAttribute('aria-live', 'polite');
  const cut = remark();
  const sentence = () => sentences[chooser.value];
  const drawRow = () => {
    row.replaceChildren(...rowTables(chosenHeads(sentence(), choice), sentence(), selected));
    for (const part of [lines, side]) markSelected(part, selected);
  };
  const drawChosen = () => {
    const chosen = chosenHeads(sentence(), choice);
    lines.replaceChildren(...linesFigures(chosen, sentence(), selected));
    side.replaceChildren(...comparison(chosen, sentence(), choice, selected, roles));
    for (const button of all.querySelectorAll('button.head')) {
      const key = button.dataset.head;
      button.setAttribute('aria-pressed', choice.has(key));
      button.className = choice.has(key) ? `head line-${choice.colour(key)}` : 'head';
    }
    drawRow();
  };
  const draw = () => {
    cut.textContent = cutText(sentence());
    all.replaceChildren(...allHeads(sentence(), choice, roles));
    drawChosen();
  };
  const chooser = sentenceChooser(sentences, () => {
    selected.choose(null, null);
    draw();
  });
  draw();
  choice.onChange(drawChosen);
  selected.onChange(drawRow);
  return section('attention', 'Attention',
    remark('In a map, rows look at columns; the darker, the more weight. A click on a head adds it to the chosen ones below, or takes it away.'),
    readsAndSays(sentences),
    sentences.length > 1 ? element('p', {class: 'chooser'}, element('label', {for: 'sentence'}, 'Sentence '), chooser)
      : element('p', {class: 'source'}, sentences[0].source),
    cut, all,
    remark('Lines go from queries to keys; the stronger, the more weight. Of each query there are those that make up 95 % of its weight, ' +
      `at most ${mostLines}. The pointer, or Tab and the arrow keys, leave the lines of one token.`),
    element('div', {class: 'closely'}, lines, row), side);
}
