// The loss of a language model by position in the context, from the test records.

function positionsText({first, last}) {
  return first === last ? `position ${first}` : `positions ${first} to ${last}`;
}

// [split, ranges] for each split that has the loss of at least two ranges of positions.
function lossesByPosition(tests = {}) {
  return Object.entries(tests)
    .map(([split, figures]) => [split, (figures.loss_by_position ?? []).filter(({loss}) => Number.isFinite(loss))])
    .filter(([, ranges]) => ranges.length > 1);
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

// The ranges with at least a tenth of the mean number of labels. With fewer, the loss is mostly chance.
function wellCounted(ranges) {
  const mean = d3.mean(ranges, ({tokens}) => tokens);
  return ranges.filter(({tokens}) => tokens >= mean / 10);
}

// Compares the loss at the last positions with the loss at the first positions.
function contextText(split, ranges) {
  const counted = wellCounted(ranges);
  const [first, last] = [counted[0], counted.at(-1)];
  const gain = first.loss - last.loss;
  return `At position p of a window the model has read p tokens. The mean loss of ${split} is ${first.loss.toFixed(2)} at ` +
    `${positionsText(first)} (${first.tokens} tokens) and ${last.loss.toFixed(2)} at ${positionsText(last)} (${last.tokens} ` +
    `tokens), ${Math.abs(gain).toFixed(2)} nats ${gain > 0 ? 'less' : 'more'}.`;
}

// With a stride, labels at the first rows of a window come only from the first window of a document.
function strideText(config) {
  const stride = config?.find((row) => row.option === 'evaluation.stride')?.value;
  const context = config?.find((row) => row.option === 'task.context')?.value;
  return Number(stride) < Number(context)
    ? ` Windows begin ${stride} tokens after one another, so positions up to ${context - stride} are those of documents' beginnings.` : '';
}

function positionRemarks({tests, config}) {
  return lossesByPosition(tests).map(([split, ranges]) => remark(contextText(split, ranges) + strideText(config)));
}
