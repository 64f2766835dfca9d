// Making elements, and writing numbers.

// An element with text, elements, or lists of them. An attribute that begins with "on" is a listener.
function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...content.flat());
  return made;
}

// A part of the page, found by the links at its top.
function section(id, title, ...content) {
  return element('section', {id}, element('h2', {}, title), ...content);
}

function remark(...content) {
  return element('p', {class: 'remark'}, ...content);
}

// Names and what they mean or are.
function definitions(name, pairs) {
  return element('dl', {class: name}, pairs.map(([term, text]) => element('div', {}, element('dt', {}, term), element('dd', {}, text))));
}

// What is wider than a phone scrolls by itself, not with the page.
function scrolling(...content) {
  return element('div', {class: 'scrolling', tabindex: 0}, ...content);
}

// "model_width" as people write it.
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

// Of "loss", and of "train.loss".
function metricKind(name) {
  return metricKinds[name.slice(name.lastIndexOf('.') + 1)];
}

// Whether it is a share, which is written in per cent: a metric, or an accuracy of some examples.
function isShare(name) {
  return metricKind(name)?.percent ?? name.endsWith('accuracy');
}

// A metric as it is usually written.
function metricText(name, value) {
  if (value === null || value === undefined) return '–';
  if (isShare(name)) return percent(value, 2);
  const kind = metricKind(name);
  return kind ? value.toFixed(kind.decimals) : number(value);
}
