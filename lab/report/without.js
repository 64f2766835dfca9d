// A model's output without one head, beside its output with all heads.

// The words of two texts, with a mark on those that are not in the longest sequence of words that both have.
function comparedWords(one, other) {
  const [a, b] = [one, other].map((text) => text.split(/\s+/).filter(Boolean));
  const shared = Array.from({length: a.length + 1}, () => new Array(b.length + 1).fill(0));  // of the words from i and j on
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) shared[i][j] = a[i] === b[j] ? shared[i + 1][j + 1] + 1 : Math.max(shared[i + 1][j], shared[i][j + 1]);
  }
  const words = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const same = i < a.length && j < b.length && a[i] === b[j];
    const first = same || j === b.length || (i < a.length && shared[i + 1][j] >= shared[i][j + 1]);
    const mark = (word) => (same ? word : element('mark', {}, word));
    if (same || first) words[0].push(mark(a[i++]), ' ');
    if (same || !first) words[1].push(mark(b[j++]), ' ');
  }
  return words;
}

function changesOutput({output, without}, key) {
  return without?.[key] !== undefined && without[key].output !== output;
}

// The switch of a head; `pressed` is called on a click. Heads without a known output have none.
function headSwitch(sentence, key, name, pressed) {
  if (!sentence.without?.[key]) return '';
  const differs = changesOutput(sentence, key);
  return element('button', {
    class: differs ? 'switch differs' : 'switch', type: 'button', role: 'switch', 'aria-checked': 'true', 'data-switch': key,
    'aria-label': differs ? `${name}; without it the output differs` : name, onclick: pressed,
  });
}

// Whether every switch of the grid is on, except that of the head `off`.
function markSwitches(grid, off) {
  for (const one of grid.querySelectorAll('.switch')) one.setAttribute('aria-checked', one.dataset.switch !== off);
}

// How many heads have a switch, and which change the output.
function switchText(sentence) {
  const keys = sentence.attentions.flatMap(({attention, heads}) => heads.map((_, head) => headKey(attention, head)));
  const known = keys.filter((key) => sentence.without?.[key]);
  if (known.length === 0) return 'The outputs without single heads are left out: they would take long, or no head can be left out.';
  const left = known.length < keys.length ? ` Heads without a switch, which cannot be left out or would take long: ${keys.length - known.length}.` : '';
  const differ = known.filter((key) => changesOutput(sentence, key)).length;
  return `A switch leaves one head out. ≠ marks the heads without which the output differs: ${differ} of ${known.length}.${left}`;
}

// The outputs on a sentence: with all heads and, if a head is off, without it.
function outputsView(sentence, off) {
  if (sentence.output === undefined) return [];
  const changed = off && sentence.without[off];
  const [all, other] = comparedWords(sentence.output, changed ? changed.output : sentence.output);
  const shown = (title, {right}, words) => [element('h3', {}, title),
    element('p', {class: right ? 'right' : 'wrong'}, element('span', {class: 'output'}, words.length > 0 ? words : '(nothing)'))];
  return [remark(switchText(sentence)), ...shown('Output with all heads', sentence, all),
    ...(changed ? shown(`Output without ${off}`, changed, other) : []),
    sentence.right ? '' : remark('reference: ', element('span', {class: 'reference'}, sentence.reference))];
}
