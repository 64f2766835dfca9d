#include "train/evaluation/run_evaluation.hpp"

#include "train/evaluation/evaluation_report.hpp"
#include "train/output/figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<Split> test_splits(const Task& task) {
  std::vector<Split> splits;
  std::vector<std::shared_ptr<const Source>> sources;
  Split whole{.name = "whole"};
  for (const Split& split : task.splits) {
    if (split.name != "train" && split.name != "validation") {
      splits.push_back(split);
      sources.push_back(split.source);
      std::ranges::copy(split.source_texts, std::back_inserter(whole.source_texts));
      std::ranges::copy(split.references, std::back_inserter(whole.references));
      std::ranges::copy(split.types, std::back_inserter(whole.types));
    }
  }
  if (splits.size() > 1) {
    whole.source = one_after_another(std::move(sources));
    whole.kind = splits.front().kind;
    if (std::ssize(whole.types) != whole.size()) {
      whole.types.clear();  // some of the splits have none
    }
    splits.push_back(std::move(whole));
  }
  return splits;
}

std::vector<Split> splits_named(const Task& task, const std::string& name) {
  std::vector<Split> tests = test_splits(task);
  if (name == "test" && !tests.empty()) {
    return tests;
  }
  if (name == "whole" && tests.size() > 1) {
    return {tests.back()};
  }
  return {task.split(name)};
}

std::vector<Split> final_splits(const Task& task) {
  std::vector<Split> splits = test_splits(task);
  if (splits.empty()) {
    splits.push_back(task.split("validation"));
  }
  return splits;
}

SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team) {
  SplitResults results;
  for (const Split& one : splits_named(task, split)) {
    say_unknown(one);
    say_cut_references(one, run.config.evaluation);
    run.use([&] {
      results.emplace_back(one.name, evaluate(run.model, task, one, options, one.outputs(), team));
      expect_figures(evaluation_json(results.back().second));
    });
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
