// Small maps of the attention of every head on a sentence, and below them the chosen heads.

function tokensOf(sentence, side) {
  return side === 'source' ? sentence.source_tokens : sentence.target_tokens;
}

// A position of the decoder reads one token and predicts the next token.
function queryLabels(sentence, side) {
  const said = side === 'source' ? [] : sentence.said_tokens;
  return tokensOf(sentence, side).map((token, i) => (said[i] ? `${token} > ${said[i]}` : token));
}

function smallMapButton(sentence, attention, head, choice, role) {
  const key = headKey(attention.attention, head);
  const rows = attention.heads[head];
  const [queries, keys] = [queryLabels(sentence, attention.queries), tokensOf(sentence, attention.keys)];
  const [map, name] = [smallMap(rows), headName(attention.attention, head)];
  return element('button', {
    class: 'head', type: 'button', 'data-head': key, 'aria-label': name,
    onclick: () => choice.toggle(key),
    onpointermove: (event) => {
      const cell = cellUnder(event, map, rows);
      if (cell) showTip(event, name, ...cellText(rows, queries, keys, cell.i, cell.j));
    },
    onpointerleave: hideTip,
  }, map, element('span', {}, `head ${head}`), element('small', {}, role && role !== 'none' ? role : ' '));
}

// Prefers the longest sentence of at most 16 tokens: it shows something, but is not too large.
function firstSentence(sentences) {
  const length = ({source_length: source, target_length: target}) => Math.max(source, target);
  const fits = sentences.filter((one) => length(one) <= 16);
  const best = fits.reduce((longest, one) => (longest && length(longest) >= length(one) ? longest : one), null);
  return sentences.indexOf(best ?? sentences[0]);
}

// The maps of all heads, under the names of their attentions.
function attentionMaps(sentence, choice, roles) {
  return sentence.attentions.map((attention) => element('div', {class: 'attention'},
    element('h3', {}, attentionName(attention.attention)),
    element('div', {class: 'heads'}, attention.heads.map((_, head) =>
      smallMapButton(sentence, attention, head, choice, roles[headKey(attention.attention, head)])))));
}

function markChosen(maps, choice) {
  for (const button of maps.querySelectorAll('button.head')) {
    const colour = choice.colours.get(button.dataset.head);
    button.setAttribute('aria-pressed', colour !== undefined);
    button.className = colour === undefined ? 'head' : `head line-${colour}`;
  }
}

function cutText({source_tokens: source, target_tokens: target, source_length, target_length}) {
  const shown = Math.max(source.length, target.length);
  return Math.max(source_length, target_length) > shown ? `Only the first ${shown} tokens are shown.` : '';
}

function attentionSection({texts = [], sentences: examples = [], heads}, choice) {
  const sentences = [...texts, ...examples];
  if (sentences.length === 0) return '';
  const roles = Object.fromEntries((heads?.attentions ?? []).flatMap(({attention, heads: all}) =>
    all.map(({head, role}) => [headKey(attention, head), role])));
  const [maps, cut, chosen] = [element('div', {class: 'maps'}), remark(), closeView(choice, roles)];
  const chooser = element('select', {id: 'sentence', onchange: () => draw()}, sentences.map((one, i) =>
    element('option', {value: i}, one.number ? `${one.number}: ${one.source}` : one.source)));
  chooser.value = sentences[0].number ? firstSentence(sentences) : 0;  // texts have no number and come first
  const drawMaps = () => {
    cut.textContent = cutText(sentences[chooser.value]);
    maps.replaceChildren(...attentionMaps(sentences[chooser.value], choice, roles));
  };
  const drawChosen = () => {
    markChosen(maps, choice);
    chosen.draw(sentences[chooser.value]);
  };
  const draw = () => {
    drawMaps();
    drawChosen();
  };
  drawMaps();
  choice.onChange(drawChosen);
  return section('attention', 'Attention',
    remark('In a map, rows are queries and columns are keys; a darker cell has more weight. Click a head to add it to ' +
      'the chosen heads below, or to remove it.'),
    sentences.some(({said_tokens: said}) => said.length > 0)
      ? remark('In the decoder, the row “a > b” is the position that reads a and must predict b; columns are the tokens that are read.') : '',
    sentences.length > 1 ? element('p', {class: 'chooser'}, element('label', {for: 'sentence'}, 'Sentence '), chooser)
      : element('p', {class: 'source'}, sentences[0].source),
    cut, maps, chosen.view);
}
