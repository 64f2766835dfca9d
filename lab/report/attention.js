// Small maps of the attention of every head on a sentence, and below them the chosen heads.

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

// A position of the decoder reads one token and predicts the next token.
function queryLabels(sentence, side) {
  return side === 'source' ? sentence.source_tokens : sentence.target_tokens.map((token, i) => (sentence.said_tokens[i] ? `${token} > ${sentence.said_tokens[i]}` : token));
}

function smallMapButton(sentence, attention, head, choice, role) {
  const key = headKey(attention.attention, head);
  const rows = attention.heads[head];
  const [queries, keys] = [queryLabels(sentence, attention.queries), tokensOf(sentence, attention.keys)];
  const map = smallMap(rows);
  const name = `head ${head}`;
  return element('button', {
    class: 'head', type: 'button', 'data-head': key, 'aria-label': `${attentionName(attention.attention)}, ${name}`,
    onclick: () => choice.toggle(key),
    onpointermove: (event) => {
      const cell = cellUnder(event, map, rows);
      if (cell) showTip(event, name, ...cellText(rows, queries, keys, cell.i, cell.j));
    },
    onpointerleave: hideTip,
  }, map, element('span', {}, name), element('small', {}, role && role !== 'none' ? role : ' '));
}

// Prefers the longest sentence of at most 16 tokens: it shows something, but is not too large.
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

// The user's own texts have no number and come first.
function sentenceChooser(sentences, draw) {
  const chooser = element('select', {id: 'sentence', onchange: draw}, sentences.map((one, i) =>
    element('option', {value: i}, one.number ? `${one.number}: ${one.source}` : one.source)));
  chooser.value = sentences[0].number ? firstSentence(sentences) : 0;
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

function markChosen(maps, choice) {
  for (const button of maps.querySelectorAll('button.head')) {
    const key = button.dataset.head;
    button.setAttribute('aria-pressed', choice.colours.has(key));
    button.className = choice.colours.has(key) ? `head line-${choice.colours.get(key)}` : 'head';
  }
}

function attentionSection({texts = [], sentences: examples = [], heads}, choice) {
  const sentences = [...texts, ...examples];
  if (sentences.length === 0) return '';
  const roles = rolesByHead(heads);
  const all = element('div', {class: 'maps'});
  const cut = remark();
  const chosen = closeView(choice, roles);
  const sentence = () => sentences[chooser.value];
  const drawAll = () => {
    cut.textContent = cutText(sentence());
    all.replaceChildren(...allHeads(sentence(), choice, roles));
  };
  const drawChosen = () => {
    markChosen(all, choice);
    chosen.draw(sentence());
  };
  const chooser = sentenceChooser(sentences, () => {
    drawAll();
    drawChosen();
  });
  drawAll();
  choice.onChange(drawChosen);
  return section('attention', 'Attention',
    remark('In a map, rows look at columns; the darker, the more weight. A click on a head adds it to the chosen ones below, or takes it away.'),
    readsAndSays(sentences),
    sentences.length > 1 ? element('p', {class: 'chooser'}, element('label', {for: 'sentence'}, 'Sentence '), chooser)
      : element('p', {class: 'source'}, sentences[0].source),
    cut, all, chosen.view);
}
