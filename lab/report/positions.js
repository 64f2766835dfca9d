// The loss of a language model by position in the context, from the test records.

function positionsText({first, last}) {
  return first === last ? `position ${first}` : `positions ${first} to ${last}`;
}

// [split, ranges] for each split that has the loss of at least two ranges of positions.
function lossesByPosition(tests) {
  return partsOfTests(tests, ({loss_by_position: all = []}) => {
    const ranges = all.filter(({loss}) => Number.isFinite(loss));
    return ranges.length > 1 && ranges;
  });
}

function positionPanels({tests}) {
  return lossesByPosition(tests).map(([split, ranges]) => lineChart({
    title: `Loss by position in the context (${split})`,
    label: 'position',
    series: [{name: split, points: ranges.map((range) => [Math.sqrt(range.first * range.last), range.loss, range])}],
    logarithmic: true,
    place: ([, , range]) => positionsText(range),
    tell: (one, [, loss, {tokens}]) => `${metricText('loss', loss)} (${tokens} tokens)`,
  }));
}

// Compares the loss at the last positions with the loss at the first positions. Leaves out ranges with less than a
// tenth of the mean number of labels, since their loss is mostly chance.
function contextText(split, ranges) {
  const mean = d3.mean(ranges, ({tokens}) => tokens);
  const counted = ranges.filter(({tokens}) => tokens >= mean / 10);
  const [first, last] = [counted[0], counted.at(-1)];
  const gain = first.loss - last.loss;
  return `At position p of a window the model has read p tokens. The mean loss of ${split} is ${first.loss.toFixed(2)} at ` +
    `${positionsText(first)} (${first.tokens} tokens) and ${last.loss.toFixed(2)} at ${positionsText(last)} (${last.tokens} ` +
    `tokens), ${Math.abs(gain).toFixed(2)} nats ${gain > 0 ? 'less' : 'more'}.`;
}

function positionRemarks({tests, config}) {
  const [stride, context] = ['evaluation.stride', 'task.context'].map((name) => config?.find(({option}) => option === name)?.value);
  // With a stride, labels at the first rows of a window come only from the first window of a document.
  const strideText = Number(stride) < Number(context)
    ? ` Windows begin ${stride} tokens after one another, so positions up to ${context - stride} are those of documents' beginnings.` : '';
  return lossesByPosition(tests).map(([split, ranges]) => remark(contextText(split, ranges) + strideText));
}
