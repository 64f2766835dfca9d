// The heads that the user has chosen. Lines, maps and tables show the same choice.

const mostCompared = 6;

// "decoder.layers.0.self" -> "decoder, layer 0, self-attention"
function attentionName(path) {
  return path.replace(/\.layers\.(\d+)\.(\w+)$/, ', layer $1, $2-attention');
}

// The short name of a head, "decoder.layers.0.self.1".
function headKey(attention, head) {
  return `${attention}.${head}`;
}

// The long name of a head, "decoder, layer 0, self-attention, head 1".
function headName(attention, head) {
  return `${attentionName(attention)}, head ${head}`;
}

// The chosen heads. While a head is chosen, it keeps its colour, a number below `mostCompared`.
class HeadChoice {
  constructor(keys) {
    this.colours = new Map();
    this.listeners = [];
    keys.slice(0, mostCompared).forEach((key) => this.add(key));
  }

  get keys() {
    return [...this.colours.keys()];
  }

  // If `mostCompared` heads are chosen already, replaces the one that was chosen first.
  add(key) {
    if (this.colours.size === mostCompared) this.colours.delete(this.keys[0]);
    const taken = [...this.colours.values()];
    this.colours.set(key, d3.range(mostCompared).find((colour) => !taken.includes(colour)));
  }

  toggle(key) {
    if (!this.colours.delete(key)) this.add(key);
    for (const listener of this.listeners) listener();
  }

  onChange(listener) {
    this.listeners.push(listener);
    listener();
  }
}

// The first choice: for each kind of attention, the head with the highest confidence. This is the mean of its largest
// weights, from the figures of the heads or else from the first sentence.
function firstChoice({heads, sentences}) {
  const confidenceOf = heads ? (one) => one.confidence : (rows) => d3.mean(rows, (row) => d3.max(row));
  const surest = {};
  for (const {attention, heads: all} of (heads ?? sentences?.slice(0, 1).map(withWeights)[0])?.attentions ?? []) {
    const kind = attention.replace(/\.layers\.\d+\./, '.');
    all.forEach((one, i) => {
      const confidence = confidenceOf(one);
      if (!surest[kind] || confidence > surest[kind].confidence) surest[kind] = {key: headKey(attention, one.head ?? i), confidence};
    });
  }
  return new HeadChoice(Object.values(surest).map((one) => one.key));
}

// The chosen heads that have weights on a sentence, each with its weights and the sides of its queries and keys.
function chosenHeads(sentence, choice) {
  return choice.keys.flatMap((key) => {
    const dot = key.lastIndexOf('.');
    const attention = sentence.attentions.find((one) => one.attention === key.slice(0, dot));
    const rows = attention?.heads[key.slice(dot + 1)];
    if (!rows) return [];
    const name = headName(attention.attention, key.slice(dot + 1));
    return [{key, name, rows, queries: attention.queries, keys: attention.keys, colour: choice.colours.get(key)}];
  });
}
