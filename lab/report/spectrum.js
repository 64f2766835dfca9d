// The spectrum of the embedding of numbers on a circle: at the first and the last checkpoint, or at any one.

// A bar for each frequency. `largest`: the largest share in all charts, which gives them the same scale.
function spectrumChart({step, shares}, largest) {
  const frame = chartFrame(`Spectrum of the embedding at step ${step}`);
  const x = d3.scaleLinear([0.5, shares.length + 0.5], frame.x);
  const y = d3.scaleLinear([0, largest > 0 ? largest : 1], frame.y).nice(5);
  drawAxes(frame.svg, x, y, 'frequency', percent);
  const width = x(1) - x(0);
  frame.svg.append('g').attr('class', 'spectrum line-0').selectAll('rect').data(shares).join('rect')
    .attr('x', (_, i) => x(i + 1) - 0.4 * width).attr('width', 0.8 * width)
    .attr('y', (share) => y(share)).attr('height', (share) => y(0) - y(share));
  const svg = frame.svg.node();
  svg.addEventListener('pointermove', (event) => {
    const k = Math.min(shares.length, Math.max(1, Math.round(x.invert(d3.clientPoint(svg, event)[0]))));
    showTip(event, `frequency ${k}`, percent(shares[k - 1], 1));
  });
  svg.addEventListener('pointerleave', hideTip);
  return savable(element('figure', {class: 'panel'}, element('figcaption', {}, `Step ${step}`), svg));
}

function frequenciesText({step, frequencies, gini, shares}, most) {
  return `At step ${step}, ${frequencies} of ${shares.length} frequencies have ${percent(most)} (Gini coefficient ${gini.toFixed(2)}).`;
}

// The spectrum of the checkpoint that a slider selects.
function chosenSpectrum(checkpoints, largest, most) {
  const shown = element('div', {class: 'chosen-spectrum'});
  const draw = (i) => shown.replaceChildren(spectrumChart(checkpoints[i], largest), remark(frequenciesText(checkpoints[i], most)));
  draw(checkpoints.length - 1);
  return element('div', {}, slider('spectrum-step', 'Checkpoint ', checkpoints.length, draw), shown);
}

function spectrumSection({spectrum}) {
  if (!spectrum) return '';
  const {checkpoints, tokens, most} = spectrum;
  const ends = checkpoints.length > 1 ? [checkpoints[0], checkpoints.at(-1)] : checkpoints;
  const largest = d3.max(checkpoints.flatMap(({shares}) => shares));
  const every = checkpoints.length > 2;
  const kept = ends.length > 1 ? 'Below are the first and the last checkpoint that the run keeps.' : 'The run keeps one checkpoint.';
  return section('spectrum', 'Spectrum of the embedding',
    remark(`The ${tokens} numbers are on a circle, around which a wave of frequency k goes k times. A bar is a frequency’s share of ` +
      'the squared distances of the embedding’s rows from their mean. In models that have found the rule, few frequencies ' +
      `have nearly everything (Nanda et al. 2023). ${kept}`),
    element('ul', {}, ends.map((one) => element('li', {}, frequenciesText(one, most)))),
    element('div', {class: 'panels'}, ends.map((one) => spectrumChart(one, largest)), every ? lineChart({
      title: `Frequencies that have ${percent(most)}`,
      label: 'step',
      series: [{name: 'frequencies', points: checkpoints.map(({step, frequencies}) => [step, frequencies])}],
      range: [0, checkpoints[0].shares.length],
    }) : ''),
    every ? chosenSpectrum(checkpoints, largest, most) : '');
}
