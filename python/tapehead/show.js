// The live page of a run: asks the server about the text in the form, and for what a training has changed. The scripts of
// every page draw the answers.

const main = document.querySelector('main');
const token = location.hash.slice(1);
const [text, target] = [2, 1].map((rows) => element('textarea', {rows, spellcheck: 'false'}));
const targetLabel = element('label', {hidden: ''}, 'Target; if there is none, the model’s own output', target);
const switches = element('details', {hidden: ''});
const walk = element('select', {name: 'walk'});
const walkLabel = element('label', {class: 'chooser', hidden: ''}, 'One head in numbers ', walk);
const [wrong, lost] = [0, 1].map(() => element('p', {class: 'note', role: 'status', hidden: ''}));
const form = element('form', {class: 'question'}, element('label', {}, 'Text', text), targetLabel, switches, walkLabel, wrong, lost);

let states = {};  // of the records and the checkpoint that are shown
let records = {name: '', notes: [], summary: []};
let answer = null;  // to the question in the form
let chosen = null;  // the heads, once there are maps
let [asking, changed, timer] = [false, false, 0];

async function post(path, question) {
  const response = await fetch(path, {method: 'POST', headers: {'Tapehead-Token': token}, body: JSON.stringify(question)})
    .catch(() => { throw new Error('tapehead show has ended'); });
  const said = await response.json();
  if (said.error) throw new Error(said.error);
  return said;
}

// Says what goes wrong, if anything does.
async function attempt(place, action) {
  const fault = await action().then(() => '', (error) => error.message);
  place.textContent = fault;
  place.hidden = fault === '';
}

// The questions about heads: which are off, and which one is walked through.
function drawSwitches(attentions) {
  const names = JSON.stringify(attentions);
  if (switches.dataset.names === names) return;  // some may be off
  switches.dataset.names = names;
  [switches, walkLabel].forEach((one) => { one.hidden = false; });
  walk.replaceChildren(element('option', {value: ''}, 'none'), ...attentions.flatMap(({attention, heads}) => d3.range(heads).map((head) =>
    element('option', {value: headKey(attention, head)}, headName(attention, head)))));
  switches.replaceChildren(element('summary', {}, 'Switch heads off'), ...attentions.map(({attention, heads}) => element('div', {},
    element('h3', {}, attentionName(attention)), d3.range(heads).map((head) => element('label', {},
      element('input', {type: 'checkbox', name: 'without', value: headKey(attention, head)}), ` ${head}`)))));
}

// The facts about the answer, before those about the run.
function facts() {
  if (!answer) return records.summary;
  const {checkpoint, generated, target: output, without} = answer.seen;
  const outputs = generated ? [['output', output], [`output without ${without?.heads.join(', ')}`, without?.target]] : [];
  return [['checkpoint', checkpoint.replace(/.*\/|\.safetensors$/g, '')],
    ...outputs.filter(([, one]) => one !== undefined).map(([name, one]) => [name, one || '(nothing)']), ...records.summary];
}

function headButtons(pressed) {
  return [...main.querySelectorAll(`button.head[aria-pressed="${pressed}"]`)];
}

// Draws the report anew, except that the chosen heads stay chosen and the followed token followed.
function draw() {
  const followed = main.querySelector('#followed')?.value;
  if (main.querySelector('button.head')) chosen = headButtons(true).map((one) => one.dataset.head);
  main.replaceChildren();
  showReport({...records, ...answer?.report, name: records.name, notes: [...records.notes, ...(answer?.notes ?? [])], summary: facts()});
  for (const pressed of chosen ? [true, false] : []) {  // in this order, there is room for those that are added
    headButtons(pressed).filter((one) => chosen.includes(one.dataset.head) !== pressed).forEach((one) => one.click());
  }
  const chooser = main.querySelector('#followed');
  if (chooser && followed < chooser.options.length) {
    chooser.value = followed;
    chooser.dispatchEvent(new Event('change'));
  }
}

// Asks what the form says, and again if that changes meanwhile.
async function ask() {
  changed = true;
  if (asking) return;
  for (asking = true; changed; asking = changed) {
    [changed, answer] = [false, null];
    const question = {text: text.value, target: target.value, without: new FormData(form).getAll('without'), walk: walk.value};
    await attempt(wrong, async () => { answer = question.text ? await post('/attention', question) : null; });
  }
  if (answer) drawSwitches(answer.seen.attentions);
  draw();
}

// Shows what a training has changed. Maps stay as they are while their checkpoint does.
async function look() {
  const {report, ...found} = await post('/news', {records: states.records});
  const renewed = found.checkpoint !== states.checkpoint;
  [states, records] = [found, report ?? records];
  document.title = `${records.name} · tapehead`;
  targetLabel.hidden = !records.targets;
  text.placeholder = records.masks ? 'with <mask> for each token to predict' : '';
  if (renewed) await ask();
  else if (report && !asking) {
    const parts = [header({...records, summary: facts()}), curvesSection(records), samplesSection(records)].filter(Boolean);
    const old = parts.map(({id}) => main.querySelector(id ? `#${id}` : 'header'));
    if (records.state.name === 'training' && !old.includes(null)) parts.forEach((part, i) => old[i].replaceWith(part));
    else draw();
  }
}

form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(ask, 300);
});
main.addEventListener('click', (event) => {
  const section = event.target.closest('a[href^="#"]')?.hash;
  if (section) event.preventDefault();  // the address keeps the token
  if (section) document.querySelector(section).scrollIntoView();
});
main.before(form);
text.focus();
for (;;) {
  await attempt(lost, look);
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
