// The chapters of a sweep: questions, each with a few settings side by side, their maps, and an answer from the runs.

// A bar for the mean of each figure at each point.
function chapterBars({points, figures}, {results, axes: [axis]}) {
  const cells = points.map((point) => results.cells.find(({settings}) => settings[axis.name] === point));
  const rows = points.map((point, i) => ({point, cell: cells[i]}));
  return table([{name: '', cell: ({point}) => point}, ...figures.map((figure) => {
    const largest = d3.max(cells, (cell) => cell?.[figure]?.mean);
    return {name: figureName(figure), cell: ({cell}) => (cell?.[figure] ? bar(cell[figure].mean, largest, spreadText(figure, cell[figure])) : '–')};
  })], rows);
}

// The maps of a point on a sentence, without the attentions that the chapter is not about. A click on a map opens it.
function chapterMaps(point, packed, about) {
  const sentence = withWeights(packed);
  const attentions = sentence.attentions.filter(({attention, heads}) => heads.length > 0 && attention.replace(/\.layers\.\d+\./, '_').includes(about));
  const shown = {...sentence, attentions};
  const choice = new HeadChoice([]);
  const [maps, chosen] = [element('div'), closeView(choice, {})];
  if (attentions.length > 0) maps.append(headGrid(shown, choice, {}, () => {}));
  choice.onChange(() => {
    markChosen(maps, choice);
    chosen.view.hidden = choice.keys.length === 0;
    chosen.draw(shown);
  });
  return element('figure', {class: 'panel'}, element('figcaption', {}, point), element('p', {class: 'source'}, sentence.source), remark(cutText(sentence)), maps, chosen.view);
}

function chapter(report, {question, look, points, figures, maps: about, answer, deeper}) {
  const seen = points.filter((point) => report.maps[point]);
  return element('article', {class: 'chapter'}, element('h3', {}, question), look ? element('p', {}, look) : '',
    element('p', {class: 'answer'}, element('b', {}, 'The runs: '), `${answer}.`), chapterBars({points, figures}, report),
    element('div', {class: 'panels'}, seen.map((point) => chapterMaps(point, report.maps[point], about))),
    deeper ? element('p', {}, 'Deeper: ', element('code', {}, deeper)) : '');
}

function chaptersSection(report) {
  const {chapters} = report.results;
  return chapters.length === 0 ? [] : [section('chapters', 'Questions',
    remark('A token is a word or a sign; </s> ends a text. A head has three matrices of its own. They make of each token a query, a row of Q: what ' +
      'it looks for; a key, a row of K: what it can be found by; and a value, a row of V: what it gives. “One head in numbers” computes them.'),
    remark('A head makes a map: rows are queries and columns are keys; a darker cell has more weight. Click a map to see its words. In the ' +
      'decoder, “a > b” reads a and must predict b. Token accuracy is the share of predictions that are right.'),
    remark('An encoder reads a text, a decoder writes the answer. Self-attention looks within one text, cross-attention from the answer at the text.'),
    ...chapters.map((one) => chapter(report, one)))];
}
