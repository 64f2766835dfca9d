// Saves a figure as an SVG file that needs no styles of the page.

const fontStyles = ['font-size', 'font-weight', 'font-family'];
const drawnStyles = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin',
  'opacity', 'visibility', 'text-anchor', 'vector-effect', ...fontStyles];

// The computed values of some styles, as CSS.
function stylesOf(one, names) {
  const style = getComputedStyle(one);
  return names.map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ');
}

// A copy of a drawing that has the computed styles of each part.
function styledCopy(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((one) => [one, ...one.querySelectorAll('*')]);
  from.forEach((one, i) => {
    to[i].removeAttribute('class');
    to[i].style.cssText = stylesOf(one, drawnStyles);
  });
  copy.setAttribute('overflow', 'visible');
  return copy;
}

// [word, its box, its element] for each visible word outside of drawings and controls. A line may end behind a hyphen.
function wordsIn(figure) {
  const words = [];
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const {data, parentElement: parent} = texts.currentNode;
    if (parent.closest('svg, .close, .save, .switch')) continue;
    for (const {0: word, index} of data.matchAll(/[^\s-]+-?|-/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const box = range.getBoundingClientRect();
      if (box.width > 0 && box.left < parent.getBoundingClientRect().right) words.push([word, box, parent]);
    }
  }
  return words;
}

// The text of an SVG file with the drawings and the words of a figure, each at its place on the page.
function figureSvg(figure) {
  for (const scroller of figure.querySelectorAll('.scrolling')) scroller.scrollTo({left: 0, top: 0, behavior: 'instant'});
  const all = d3.create('svg').attr('xmlns', 'http://www.w3.org/2000/svg');
  const {left, top} = figure.getBoundingClientRect();
  const drawings = [...figure.querySelectorAll('svg')].map((one) => [one, one.getBoundingClientRect()]);
  const words = wordsIn(figure);
  const fill = (one, colour) => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return all.append('rect').attr('x', x - left).attr('y', y - top).attr('width', width).attr('height', height).attr('fill', getComputedStyle(one)[colour]);
  };
  fill(figure, 'backgroundColor').attr('width', '100%').attr('height', '100%');
  for (const behind of new Set(words.map(([, , parent]) => parent))) fill(behind, 'backgroundColor');
  for (const swatch of figure.querySelectorAll('.swatch')) fill(swatch, 'borderTopColor');
  for (const [svg, {x, y, width, height}] of drawings) {
    d3.select(all.node().appendChild(styledCopy(svg))).attr('x', x - left).attr('y', y - top).attr('width', width).attr('height', height);
  }
  for (const [word, box, parent] of words) {
    all.append('text').attr('x', box.left - left).attr('y', (box.top + box.bottom) / 2 - top).attr('dominant-baseline', 'central')
      .attr('fill', getComputedStyle(parent).color).text(word).node().style.cssText = stylesOf(parent, fontStyles);
  }
  const boxes = [figure.getBoundingClientRect(), ...drawings.map(([, box]) => box), ...words.map(([, box]) => box)];
  all.attr('width', d3.max(boxes, ({right}) => right) - left).attr('height', d3.max(boxes, ({bottom}) => bottom) - top);
  return new XMLSerializer().serializeToString(all.node());
}

// A figure with a button that saves it, under its caption as name.
function savable(figure) {
  const save = () => {
    const name = figure.querySelector('figcaption').textContent.replace(/[^\p{L}\p{N}.]+/gu, ' ').trim();
    const link = element('a', {download: `${name}.svg`, href: URL.createObjectURL(new Blob([figureSvg(figure)], {type: 'image/svg+xml'}))});
    link.click();
    URL.revokeObjectURL(link.href);
  };
  figure.append(element('button', {type: 'button', class: 'save', title: 'save this figure as an SVG file', onclick: save}, 'SVG'));
  return figure;
}
