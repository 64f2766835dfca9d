// Builds the page: its sections, one below the other, with links to them at the top.

function runParts(report) {
  const choice = firstChoice(report);
  return [attentionSection(report, choice), walkSection(report), predictionsSection(report), samplesSection(report), curvesSection(report), confusionSection(report), typesSection(report),
    headsSection(report, choice), headCurvesSection(report), spectrumSection(report),
    pruningSection(report), configSection(report), environmentSection(report)].filter(Boolean);
}

// Shows a report in place of the one that was shown before.
function showReport(report) {
  const parts = report.kind === 'sweep' ? sweepParts(report) : runParts(report);
  const links = element('nav', {}, parts.map((part) => element('a', {href: `#${part.id}`}, part.querySelector('h2').textContent)));
  document.querySelector('main').replaceChildren(header(report), parts.length > 1 ? links : '', ...(report.notes ?? []).map((note) => element('p', {class: 'note'}, note)), ...parts);
  document.querySelectorAll('.table').forEach(sayWhereCut);  // before the page is first drawn
}
