// Which heads are looked at closely: the same ones in the lines, the maps and the tables.

const mostCompared = 6;

// "decoder.layers.0.cross" -> "decoder 0, cross"
function attentionName(path) {
  const parts = path.match(/^(\w+)\.layers\.(\d+)\.(\w+)$/);
  return parts ? `${parts[1]} ${parts[2]}, ${parts[3]}` : path;
}

function headKey(attention, head) {
  return `${attention}.${head}`;
}

// A head keeps its colour, a number below `mostCompared`, as long as it is chosen.
class HeadChoice {
  constructor(keys) {
    this.colours = new Map();
    this.listeners = [];
    keys.slice(0, mostCompared).forEach((key) => this.add(key));
  }

  get keys() {
    return [...this.colours.keys()];
  }

  // In place of the oldest one if there are as many as can be compared.
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

// The mean of each head's largest weights, by the figures of the heads or, without them, on the first sentence.
function confidences({heads, sentences}) {
  const ofHead = heads ? ({confidence}) => confidence : (rows) => d3.mean(rows, (row) => d3.max(row));
  const attentions = (heads ?? sentences?.[0])?.attentions ?? [];
  return attentions.flatMap(({attention, heads: all}) => all.map((one, i) => ({attention, head: one.head ?? i, confidence: ofHead(one)})));
}

// To begin with, a head of each kind: the one that is surest of itself.
function firstChoice(report) {
  const surest = {};
  for (const {attention, head, confidence} of confidences(report)) {
    const kind = attention.replace(/\.layers\.\d+\./, '.');
    if (!surest[kind] || confidence > surest[kind].confidence) surest[kind] = {key: headKey(attention, head), confidence};
  }
  return new HeadChoice(Object.values(surest).map((one) => one.key));
}

// The chosen heads that a sentence has weights of, each with these and with the sides of its queries and keys.
function chosenHeads(sentence, choice) {
  return choice.keys.flatMap((key) => {
    const dot = key.lastIndexOf('.');
    const attention = sentence.attentions.find((one) => one.attention === key.slice(0, dot));
    const rows = attention?.heads[key.slice(dot + 1)];
    if (!rows) return [];
    const name = `${attentionName(attention.attention)}, head ${key.slice(dot + 1)}`;
    return [{key, name, rows, queries: attention.queries, keys: attention.keys, colour: choice.colours.get(key)}];
  });
}
