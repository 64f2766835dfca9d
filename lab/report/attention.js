// The attention of every head on a sentence, and chosen heads side by side.

const mostCompared = 6;

// "decoder.layers.0.cross" -> "decoder 0, cross"
function attentionName(path) {
  const parts = path.match(/^(\w+)\.layers\.(\d+)\.(\w+)$/);
  return parts ? `${parts[1]} ${parts[2]}, ${parts[3]}` : path;
}

function headKey(attention, head) {
  return `${attention}.${head}`;
}

// Which heads are compared, for the maps and the table alike.
class HeadChoice {
  constructor(keys) {
    this.keys = keys;
    this.listeners = [];
  }

  has(key) {
    return this.keys.includes(key);
  }

  toggle(key) {
    this.keys = this.has(key) ? this.keys.filter((one) => one !== key) : [...this.keys, key].slice(-mostCompared);
    for (const listener of this.listeners) listener();
  }

  onChange(listener) {
    this.listeners.push(listener);
    listener();
  }
}

// To begin with, a head of each kind: the one that is surest of itself.
function firstChoice(heads) {
  const surest = {};
  for (const {attention, heads: all} of heads?.attentions ?? []) {
    const kind = attention.replace(/\.layers\.\d+\./, '.');
    for (const {head, confidence} of all) {
      if (!surest[kind] || confidence > surest[kind].confidence) surest[kind] = {key: headKey(attention, head), confidence};
    }
  }
  return new HeadChoice(Object.values(surest).map((one) => one.key));
}

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

function comparison(sentence, choice, roles) {
  const figures = choice.keys.map((key) => {
    const dot = key.lastIndexOf('.');
    const attention = sentence.attentions.find((one) => one.attention === key.slice(0, dot));
    const rows = attention?.heads[key.slice(dot + 1)];
    if (!rows) return null;
    const mark = (cell) => figures.forEach((one) => one && markCell(one.querySelector('svg'), cell));
    const map = largeMap(rows, queryLabels(sentence, attention.queries), tokensOf(sentence, attention.keys), mark);
    const role = roles[key] && roles[key] !== 'none' ? `: ${roles[key]}` : '';
    return element('figure', {class: 'compared', 'data-head': key},
      element('figcaption', {}, element('b', {}, `${attentionName(attention.attention)}, head ${key.slice(dot + 1)}`), role,
        element('button', {type: 'button', class: 'close', 'aria-label': 'close', onclick: () => choice.toggle(key)}, '×')),
      scrolling(map));
  });
  return figures.filter(Boolean);
}

// A sentence that says something of its heads, and can be taken in at once.
function firstSentence(sentences) {
  const length = ({source_length: source, target_length: target}) => Math.max(source, target);
  const fits = sentences.filter((one) => length(one) <= 16);
  const best = fits.reduce((longest, one) => (longest && length(longest) >= length(one) ? longest : one), null);
  return sentences.indexOf(best ?? sentences[0]);
}

function attentionSection({sentences, heads}, choice) {
  if (!sentences?.length) return '';
  const roles = rolesByHead(heads);
  const chooser = element('select', {id: 'sentence', onchange: () => draw()}, sentences.map((one, i) =>
    element('option', {value: i}, `${one.number}: ${one.source}`)));
  const side = element('div', {class: 'comparison'});
  const all = element('div', {class: 'maps'});
  const cut = remark();
  const drawChosen = () => {
    side.replaceChildren(...comparison(sentences[chooser.value], choice, roles));
    for (const button of all.querySelectorAll('button.head')) {
      button.setAttribute('aria-pressed', choice.has(button.dataset.head));
    }
  };
  const draw = () => {
    const sentence = sentences[chooser.value];
    const shown = Math.max(sentence.source_tokens.length, sentence.target_tokens.length);
    cut.textContent = Math.max(sentence.source_length, sentence.target_length) > shown
      ? `Only the first ${shown} tokens are shown.` : '';
    all.replaceChildren(...sentence.attentions.map((attention) => element('div', {class: 'attention'},
      element('h3', {}, attentionName(attention.attention)),
      element('div', {class: 'heads'}, attention.heads.map((_, head) => smallMapButton(
        sentence, attention, head, choice, roles[headKey(attention.attention, head)]))))));
    drawChosen();
  };
  chooser.value = firstSentence(sentences);
  draw();
  choice.onChange(drawChosen);
  return section('attention', 'Attention',
    remark('Rows look at columns; the darker, the more weight. A click on a head puts it beside those that are chosen.'),
    remark('In the decoder a row “a > b” is the position that reads a and has to say b; columns are the tokens that are read.'),
    element('p', {class: 'chooser'}, element('label', {for: 'sentence'}, 'Sentence '), chooser),
    side, cut, all);
}
