// Evaluates a trained run on the splits of its data, and reports evaluations: as one line, a table,
// or JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The split `test`, all further test splits and, if there are any, `whole`: all test splits as one.
// Empty if the task has no test split.
std::vector<Split> test_splits(const Task& task);

// The splits that a name stands for: `test` means test_splits(), `whole` the test splits as one,
// any other name the split itself. Throws DataError if there is no such split.
std::vector<Split> splits_named(const Task& task, const std::string& name);

// The splits to evaluate at the end of a training: test_splits(), or else the validation split.
std::vector<Split> final_splits(const Task& task);

using SplitResults = std::vector<std::pair<std::string, Evaluation>>;

// Evaluates splits_named() and decodes every example. Throws DataError if there is no such split,
// and NumericError that names the checkpoint if a figure is NaN.
SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team);

// The metrics in one line; MetricKind::further metrics only if such a metric chooses the
// checkpoint: "validation: loss 0.0123, perplexity 1.01, token accuracy 99.60 %, ..."
std::string evaluation_line(const std::string& split, const Evaluation& evaluation);

// All metrics, the signatures of metrics that compare texts (bleu and chrf: as sacreBLEU writes
// them), examples and seconds. unknown_tokens if the targets have any. For running text:
// loss_by_position, the mean loss of each range of positions, {"first": 1, "last": 1, "tokens": 20,
// "loss": 2.5}. For classes: confusion. For examples with types: types, such as {"type": "passive",
// "examples": 9, "sequence_accuracy": 0.97}, type_groups. For answers: answer_accuracy,
// other_accuracy.
Json evaluation_json(const Evaluation& evaluation);

// The metrics of evaluation_line() with signatures, a row per split. Types have a second table.
std::string evaluation_table(const std::vector<std::pair<std::string, Evaluation>>& results);

struct EndReport {
  std::string run;
  std::string checkpoint;
  Index steps;
  double seconds;
  std::string_view command;  // of the program that uses such a model
  const std::vector<std::pair<std::string, Evaluation>>& results;  // of final_splits()
};
// The table at the end of a training, and commands to try next.
std::string end_report(const EndReport& report);

}}  // namespace tapehead::TAPEHEAD_PRECISION
