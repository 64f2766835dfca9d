#include "train/evaluation/run_evaluation.hpp"

#include "train/evaluation/evaluation_report.hpp"
#include "train/evaluation/test_splits.hpp"
#include "train/output/figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Evaluation evaluate(const SavedRun& run, const Task& task, const Split& split,
                    const EvaluationOptions& options, const Team& team) {
  return run.use([&] {
    return evaluate(run.model.transformer, run.model.store, task, split, options, split.outputs(),
                    team);
  });
}

SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team) {
  SplitResults results;
  for (const Split& one : splits_named(task, split)) {
    say_unknown(one);
    say_cut_references(one, run.config.evaluation);
    results.emplace_back(one.name, evaluate(run, task, one, options, team));
    run.use([&] { expect_figures(evaluation_json(results.back().second)); });
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
