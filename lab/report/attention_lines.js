// Lines from each query to its keys with the largest weights, for all chosen heads.

const lineRow = targetSize(20);  // the height of a token in page.css
const lineSpan = 170;
const mostLines = 8;  // for each query and head

// For each query, the largest weights that together have 95 %; none below 1 %.
function mainWeights(rows) {
  return rows.flatMap((row, query) => {
    let missing = 0.95 * d3.sum(row);
    return largestWeights(row, mostLines).filter(({weight}) => {
      const needed = missing > 0 && weight >= 0.01;
      missing -= weight;
      return needed;
    }).map(({key, weight}) => ({query, key, weight}));
  });
}

function linePath({query, key, shift}) {
  const height = (i) => (i + 0.5) * lineRow + shift;
  return d3.linkHorizontal()({source: [0, height(query)], target: [lineSpan, height(key)]});
}

// Draws the lines and returns a function: given some lines it shows only these, given null all lines.
function drawLines(svg, lines) {
  const all = svg.append('g').attr('class', 'all');
  const own = svg.append('g').attr('class', 'own');
  const paths = new Map();  // one for each colour and each tenth of weight
  for (const line of lines) {
    const kind = `${line.colour} ${Math.max(1, Math.round(10 * line.weight))}`;
    paths.set(kind, (paths.get(kind) ?? '') + linePath(line));
  }
  all.selectAll('path').data([...paths]).join('path')
    .attr('class', ([kind]) => `line line-${kind.split(' ')[0]}`)
    .attr('stroke-opacity', ([kind]) => kind.split(' ')[1] / 10)
    .attr('d', ([, path]) => path);
  return (few) => {
    all.attr('visibility', few ? 'hidden' : 'visible');
    own.selectAll('path').data(few ?? []).join('path')
      .attr('class', (line) => `line line-${line.colour}`)
      .attr('stroke-opacity', (line) => 0.2 + 0.8 * line.weight)  // otherwise a few faint lines could not be seen
      .attr('d', linePath);
  };
}

// The figure of heads whose queries are on the same side of the sentence, and whose keys are, too.
function linesFigure(heads, sentence, selected) {
  const [{queries, keys}] = heads;
  const column = (end, side, labels) => tokenColumn({end, side, labels, picked: (i) => selected.toggle(side, i, end)});
  const left = column('query', queries, queryLabels(sentence, queries));
  const right = column('key', keys, tokensOf(sentence, keys));
  const height = Math.max(left.children.length, right.children.length) * lineRow;
  const svg = d3.create('svg').attr('width', lineSpan).attr('height', height).attr('aria-hidden', 'true');
  // Shifts the lines of different heads between the same tokens, so that all can be seen.
  const lines = heads.flatMap(({rows, colour}, n) =>
    mainWeights(rows).map((line) => ({...line, colour, shift: (n - (heads.length - 1) / 2) * 2})));
  const draw = drawLines(svg, lines);
  const show = (token) => {
    const few = token && lines.filter((line) => line[token.dataset.end] === Number(token.dataset.position));
    draw(few);
    for (const one of [...left.children, ...right.children]) {
      const {end, position} = one.dataset;
      one.classList.toggle('met', Boolean(few) && (one === token || (end !== token.dataset.end && few.some((line) => line[end] === Number(position)))));
    }
  };
  const place = element('div', {class: 'between'}, left, svg.node(), right);
  // The lines of the selected token stay, whatever the pointer is on.
  const showKept = (other) => {
    const kept = [...place.querySelectorAll(`[data-position="${selected.position}"]`)].filter(({dataset}) => dataset.side === selected.side);
    show(kept.find(({dataset}) => dataset.end === selected.end) ?? kept[0] ?? other);
  };
  const showUnder = (event) => showKept(event.target.closest('.token') ?? place.querySelector('.token:focus'));
  for (const kind of ['pointerover', 'pointerleave', 'focusin']) place.addEventListener(kind, showUnder);
  for (const kind of ['focusout', 'selected']) place.addEventListener(kind, () => showKept(null));
  return savable(element('figure', {class: 'lines'},
    element('figcaption', {class: 'legend'}, heads.map(({name, colour}) => element('span', {}, swatch(colour), name))),
    element('div', {class: 'scrolling'}, place)));
}
