// Line charts over one axis, with the values under the pointer.

const chartSize = {width: 320, height: 185, top: 10, right: 12, bottom: 34, left: 50};

function chartFrame(title) {
  const {width, height, top, right, bottom, left} = chartSize;
  const svg = d3.create('svg').attr('class', 'chart').attr('viewBox', `0 0 ${width} ${height}`)
    .attr('role', 'img').attr('aria-label', title);
  return {svg, x: [left, width - right], y: [height - bottom, top]};
}

// Labels a linear axis. Uses the smallest `digits` for which all labels from `write(value, digits)` differ. By default
// numbers are as "20k" if the scale is large, otherwise as the scale chooses.
function labelTicks(axis, scale, count, write) {
  if (!write && scale.domain()[1] < 1e4) return axis.ticks(count);
  write ??= (value, digits) => d3.format(`.${digits + 1}~s`)(value);
  const values = scale.ticks(count);
  const labels = d3.range(12).map((digits) => values.map((value) => write(value, digits)));
  const best = labels.find((all) => new Set(all).size === all.length) ?? labels.at(-1);
  return axis.tickValues(values).tickFormat((_, i) => best[i]);
}

// `ticks`: writes the values of the vertical axis, like `write` in labelTicks.
function drawAxes(svg, x, y, label, ticks) {
  const bottom = chartSize.height - chartSize.bottom;
  const across = d3.axisBottom(x).tickSizeOuter(0);
  if (x.base) across.ticks(4, '~s');  // a logarithmic scale leaves out labels that have no room
  else if (x.ticks) labelTicks(across, x, 6);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`).call(across);
  svg.append('g').attr('class', 'axis grid').attr('transform', `translate(${chartSize.left},0)`)
    .call(labelTicks(d3.axisLeft(y).tickSize(chartSize.left + chartSize.right - chartSize.width), y, 5, ticks));
  svg.append('text').attr('class', 'label').attr('x', chartSize.width - chartSize.right).attr('y', chartSize.height - 4)
    .attr('text-anchor', 'end').text(label);
}

const lineColours = 8;

function lineClass(i) {
  return `line-${i % lineColours}`;
}

function swatch(i) {
  return element('i', {class: `swatch ${lineClass(i)}`});
}

function legend(names) {
  return element('div', {class: 'legend'}, names.map((name, i) => element('span', {}, swatch(i), name)));
}

// `series`: [{name, points: [[x, y], ...]}]; points with null as y are left out. `label`: of the horizontal axis,
// which begins at 0 or, if logarithmic, at 1. `place(point)` and `tell(series, point)`: the first line and the other
// lines of the tip. `ticks` as in drawAxes. `range`: of the vertical axis; by default of the values, or from 0 for a
// single value.
function lineChart({title, series, label, format = number, ticks, range, tell, logarithmic = false, place = (p) => `${label} ${p[0]}`}) {
  const drawn = series.map((one) => ({...one, points: one.points.filter((p) => p[1] !== null)}))
    .filter((one) => one.points.length > 0);
  if (drawn.length === 0) return null;
  const frame = chartFrame(title);
  const all = drawn.flatMap((one) => one.points);
  const most = d3.max(all, (p) => p[0]);
  const x = logarithmic ? d3.scaleLog([1, most], frame.x) : d3.scaleLinear([0, most], frame.x);
  const [low, high] = range ?? d3.extent(all, (p) => p[1]);
  const domain = high > low ? [low, high] : low > 0 ? [0, low] : [low, low + 1];
  const y = d3.scaleLinear(domain, frame.y).nice(5);
  drawAxes(frame.svg, x, y, label, ticks);
  const line = d3.line().x((p) => x(p[0])).y((p) => y(p[1]));
  drawn.forEach((one, i) => {
    frame.svg.append('path').attr('class', `line ${lineClass(i)}`).attr('d', line(one.points));
    const few = one.points.length <= 60;
    frame.svg.append('g').attr('class', `dots ${lineClass(i)}`)
      .selectAll('circle').data(few ? one.points : []).join('circle')
      .attr('r', 2.2).attr('cx', (p) => x(p[0])).attr('cy', (p) => y(p[1]));
  });
  followPointer(frame.svg, drawn, x, y, tell ?? ((one, p) => `${one.name}: ${format(p[1])}`), place);
  return savable(element('figure', {class: 'panel'}, element('figcaption', {}, title), frame.svg.node(),
    drawn.length > 1 ? legend(drawn.map((one) => one.name)) : ''));
}

// Marks the point nearest to the pointer on each line, and shows these points in a tip.
function followPointer(svg, series, x, y, tell, place) {
  const marks = svg.append('g').attr('class', 'marks').selectAll('circle').data(series).join('circle')
    .attr('class', (_, i) => lineClass(i)).attr('r', 4).attr('visibility', 'hidden');
  const nearest = (points, at) => points.reduce((best, p) => (Math.abs(p[0] - at) < Math.abs(best[0] - at) ? p : best));
  svg.node().addEventListener('pointermove', (event) => {
    const at = x.invert(d3.clientPoint(svg.node(), event)[0]);
    const found = series.map((one) => nearest(one.points, at));
    marks.attr('visibility', 'visible').attr('cx', (_, i) => x(found[i][0])).attr('cy', (_, i) => y(found[i][1]));
    showTip(event, place(found[0]), ...series.map((one, i) => tell(one, found[i])));
  });
  svg.node().addEventListener('pointerleave', () => {
    marks.attr('visibility', 'hidden');
    hideTip();
  });
}
