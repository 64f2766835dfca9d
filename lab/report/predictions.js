// What a model predicts at each row of a text, and what the changed model predicts.

function bestCell({best}) {
  const texts = best.map(({token, probability}) => `${token} ${percent(probability, 1)}`);
  return {...shade(best[0].probability, texts[0]), title: texts.join('\n')};
}

function changedName({heads, pattern}) {
  return `${pattern === undefined ? 'without' : 'by distance'} ${heads.join(', ')}`;
}

function predictionsSection({predictions, without}) {
  if (!predictions || predictions.length === 0) return '';
  const columns = [
    {name: 'row', cell: ({row}) => String(row)},
    {name: 'reads', cell: ({read}) => read},
    {name: 'label', cell: ({label}) => label},
    {name: 'predicts', cell: bestCell},
  ];
  if (without) columns.push({name: changedName(without), cell: ({i}) => bestCell(without.predictions[i])});
  const outputs = without?.target === undefined ? '' : remark(`The output ${changedName(without)}: ${without.target}`);
  return section('predictions', 'Predictions',
    remark('The most likely next token at each row, and its probability; point at a cell to see the next most likely ' +
      'tokens.'),
    outputs, table(columns, predictions.map((one, i) => ({...one, i}))));
}
