// Makes elements and formats numbers.

// An element that contains text, elements, or lists of these. Attributes that begin with "on" are listeners.
function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'style') made.style.cssText = value;  // as an attribute, a page that forbids inline styles would refuse it
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...content.flat());
  return made;
}

// The size of a row that is a target: for fingers larger than for a pointer, as in page.css.
function targetSize(size) {
  return window.matchMedia('(pointer: coarse)').matches ? 32 : size;
}

// A section of the page. The links at the top lead to its id.
function section(id, title, ...content) {
  return element('section', {id}, element('h2', {}, title), ...content);
}

function remark(...content) {
  return element('p', {class: 'remark'}, ...content);
}

// A list of names with their meanings or values.
function definitions(name, pairs) {
  return element('dl', {class: name}, pairs.map(([term, text]) => element('div', {}, element('dt', {}, term), element('dd', {}, text))));
}

// Lets wide content scroll by itself, so that the page fits a phone.
function scrolling(...content) {
  return element('div', {class: 'scrolling', tabindex: 0}, ...content);
}

// A slider with `count` places, first at the last one. A move calls `moved` with the place, from 0.
function slider(id, label, count, moved) {
  return element('p', {class: 'chooser'}, element('label', {for: id}, label),
    element('input', {type: 'range', id, min: 0, max: count - 1, value: count - 1, oninput: ({target}) => moved(Number(target.value))}));
}

// [split, part] for each split of the tests that has the part, which `partOf` takes from its figures.
function partsOfTests(tests, partOf) {
  return Object.entries(tests ?? {}).map(([split, figures]) => [split, partOf(figures)]).filter(([, part]) => part);
}

// Replaces underscores by spaces.
function words(name) {
  return name.replaceAll('_', ' ');
}

function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e4) return String(value);
  const size = Math.abs(value);
  if (size >= 1e3) return d3.format('.3s')(value).replace('G', ' G').replace('M', ' M').replace('k', ' k');
  if (size >= 100) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  return size >= 1e-3 || size === 0 ? value.toFixed(4) : value.toExponential(1);
}

function percent(share, digits = 0) {
  return share === null || share === undefined ? '–' : `${(100 * share).toFixed(digits)} %`;
}

function metricName(name) {
  return metricKinds[name]?.words ?? words(name);
}

// Accepts a metric's name, such as "loss", also with a prefix, such as "train.loss".
function metricKind(name) {
  return metricKinds[name.slice(name.lastIndexOf('.') + 1)];
}

// Whether a figure is a share, shown in per cent: a metric in per cent, or any accuracy.
function isShare(name) {
  return metricKind(name)?.percent ?? name.endsWith('accuracy');
}

// A metric in its usual format.
function metricText(name, value) {
  if (value === null || value === undefined) return '–';
  if (isShare(name)) return percent(value, 2);
  const kind = metricKind(name);
  return kind ? value.toFixed(kind.decimals) : number(value);
}
