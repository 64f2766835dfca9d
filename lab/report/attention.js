// A grid of small maps, one for the attention of each head on a sentence, the outputs without a head, and the chosen heads.

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
  const [map, name] = [heatmap(rows, 12).attr('class', 'small-map').node(), headName(attention.attention, head)];
  return element('button', {
    class: 'head', type: 'button', 'data-head': key, 'aria-label': name,
    onclick: () => choice.toggle(key),
    onpointermove: (event) => {
      const cell = cellUnder(event, map, rows);
      if (cell) showTip(event, name, ...cellText(rows, queries, keys, cell.i, cell.j));
    },
    onpointerleave: hideTip,
  }, map, element('small', {}, role && role !== 'none' ? role : ' '));
}

// Among the sentences of which most is known, prefers the longest of at most 16 tokens: it shows something, but is not
// too large.
function firstSentence(sentences) {
  const length = ({source_length: source, target_length: target}) => Math.max(source, target);
  const known = ['history', 'without'].map((key) => sentences.filter((one) => one[key])).find((some) => some.length > 0) ?? sentences;
  const fits = known.filter((one) => length(one) <= 16);
  const best = fits.reduce((longest, one) => (longest && length(longest) >= length(one) ? longest : one), null);
  return sentences.indexOf(best ?? known[0]);
}

// The maps of all heads: a row for each attention, a column for each head.
function headGrid(sentence, choice, roles, turn) {
  const heads = d3.range(d3.max(sentence.attentions, (one) => one.heads.length));
  const cell = (attention, head) => {
    if (head >= attention.heads.length) return element('td');
    const key = headKey(attention.attention, head);
    return element('td', {}, smallMapButton(sentence, attention, head, choice, roles[key]),
      headSwitch(sentence, key, headName(attention.attention, head), () => turn(key)));
  };
  return savable(element('figure', {class: 'all-heads'}, element('figcaption', {}, 'All heads'), scrolling(element('table', {},
    element('thead', {}, element('tr', {}, element('th'), heads.map((head) => element('th', {scope: 'col'}, `head ${head}`)))),
    element('tbody', {}, sentence.attentions.map((attention) => element('tr', {},
      element('th', {scope: 'row'}, attentionName(attention.attention)), heads.map((head) => cell(attention, head)))))))));
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

// A slider for the checkpoints at which a sentence's weights are known; its right end is the page's checkpoint. A move
// calls `draw` with the attentions at that checkpoint, or with nothing.
function checkpointSlider({history, kept}, draw) {
  if (!history) return kept ? [remark('The weights over the training are left out: there are too many.')] : [];
  const said = element('output', {for: 'attention-step'}, ' of the page');
  const places = slider('attention-step', 'Checkpoint ', history.length + 1, (place) => {
    said.textContent = place < history.length ? ` of step ${history[place].step}` : ' of the page';
    draw(history[place]);
  });
  places.append(said);
  return [places,
    remark(`The slider has ${history.length} of the ${kept} steps whose checkpoints the run keeps. Outputs are those of the page’s checkpoint.`)];
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
  const [outputs, steps] = [element('div', {class: 'outputs', 'aria-live': 'polite'}), element('div')];
  let sentence;
  let off;  // the head whose switch is off
  const turn = (key) => {
    off = key === off ? null : key;
    markSwitches(maps, off);
    outputs.replaceChildren(...outputsView(sentence, off));
  };
  const drawChosen = () => {
    markChosen(maps, choice);
    chosen.draw(sentence);
  };
  const drawAt = (moment) => {
    const {scrollLeft = 0, scrollTop = 0} = maps.querySelector('.scrolling') ?? {};
    sentence = withWeights({...sentences[chooser.value], ...moment});
    maps.replaceChildren(headGrid(sentence, choice, roles, turn), outputs);
    maps.querySelector('.scrolling').scrollTo(scrollLeft, scrollTop);
    markSwitches(maps, off);
    drawChosen();
  };
  const draw = () => {
    const one = sentences[chooser.value];
    cut.textContent = cutText(one);
    steps.replaceChildren(...checkpointSlider(one, drawAt));
    drawAt();
    turn(null);
  };
  draw();
  choice.listeners.push(drawChosen);
  return section('attention', 'Attention',
    remark('In a map, rows are queries and columns are keys; a darker cell has more weight. Click a head to add it to ' +
      'the chosen heads below, or to remove it.'),
    sentences.some(({said_tokens: said}) => said.length > 0)
      ? remark('In the decoder, the row “a > b” is the position that reads a and must predict b; columns are the tokens that are read.') : '',
    sentences.length > 1 ? element('p', {class: 'chooser'}, element('label', {for: 'sentence'}, 'Sentence '), chooser)
      : element('p', {class: 'source'}, sentences[0].source),
    steps, cut, maps, chosen.view);
}
