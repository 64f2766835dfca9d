#include "lab/sweep/study_run.hpp"

#include <fmt/format.h>

#include "lab/embedding_spectrum.hpp"
#include "lab/heads/head_report.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Evaluation evaluate_further(const SavedRun& run, const Task& task, const Split& split, Index most,
                            Workers& workers) {
  const auto measured = [&](const Split& examples, Index decoded) {
    return evaluate(run.model.transformer, run.model.store, task, examples, run.config.evaluation,
                    decoded, workers);
  };
  return split.name == "train" ? measured(first_examples(split, most), 0)
                               : measured(split, split.outputs());
}

void add_split(NamedFigures& figures, const std::string& name, const Evaluation& result) {
  for (std::size_t i = 0; i < metric_count; ++i) {
    if (result.metrics[i]) {
      figures[fmt::format("{}.{}", name, metric_kinds[i]->name)] = *result.metrics[i];
    }
  }
  for (const auto* scores : {&result.by_type.types, &result.by_type.groups}) {
    for (const TypeScore& score : *scores) {
      figures[fmt::format("{}.{}.sequence_accuracy", name, score.name)] = score.share();
    }
  }
}

}  // namespace

NamedFigures study_run(SavedRun& run, const Task& task, const Split& split, const RunStudy& study,
                       Workers& workers) {
  NamedFigures figures;
  for (const std::string& name : study.further_splits) {
    add_split(figures, name, evaluate_further(run, task, task.split(name), split.size(), workers));
  }
  if (!task.cyclic_tokens.empty()) {
    const CyclicSpectrum spectrum = embedding_spectrum(run.model, task.cyclic_tokens);
    figures["embedding.frequencies"] =
        static_cast<double>(spectrum.frequencies_with(most_of_spectrum));
    figures["embedding.gini"] = spectrum.gini();
  }
  if (study.heads) {
    figures.merge(summary_of(study_heads(run.model, run.config, task, *split.source, workers)));
    if (const auto gates = gated_heads(run.model); !gates.empty()) {
      figures.merge(summary_of(gates));
    }
  }
  if (study.importance) {
    figures.merge(summary_of(head_importance(run.model, run.config, task, split, workers)));
  }
  if (study.pruning) {
    figures.merge(
        summary_of(prune_heads(run.model, run.config, task, split, usual_slope_examples, workers)));
  }
  return figures;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
