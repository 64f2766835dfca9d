// Evaluates a trained run on the splits of its data, and reports evaluations: as one line, a table,
// or JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The split `test` and, if there are further test splits, these too, and `whole`: all of them
// together. Empty if the task has no test split.
std::vector<Split> test_splits(const Task& task);

// What an evaluation of this name is of: of `test` all test_splits(), of `whole` these together, of
// any other name that split. Throws DataError if there is no such split.
std::vector<Split> splits_named(const Task& task, const std::string& name);

// What is tested at the end of a training: the test splits, or else the validation split.
std::vector<Split> final_splits(const Task& task);

using SplitResults = std::vector<std::pair<std::string, Evaluation>>;

// Evaluates splits_named(), of which it decodes all examples. Throws DataError if there is no such
// split, and NumericError that names the checkpoint if a figure is not finite.
SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team);

// With ROUGE-L, token F1 and exact match only if one of them chooses the best checkpoint:
// "validation: loss 0.0123, perplexity 1.01, token accuracy 99.60 %, ..."
std::string evaluation_line(const std::string& split, const Evaluation& evaluation);

// All metrics, with the signatures of those that compare texts (for bleu and chrf, as sacreBLEU
// writes them), examples, seconds. If the targets have unknown tokens: unknown_tokens. Of running
// text: loss_by_position, the mean loss of each range of positions, {"first": 1, "last": 1,
// "tokens": 20, "loss": 2.5}. Of classes: confusion. Of examples with types: types, such as
// {"type": "passive", "examples": 1000, "sequence_accuracy": 0.97}, and type_groups.
Json evaluation_json(const Evaluation& evaluation);

// The same metrics, a row per split, and what they are based on. Of types a second table.
std::string evaluation_table(const std::vector<std::pair<std::string, Evaluation>>& results);

struct EndReport {
  std::string run;
  std::string checkpoint;
  Index steps;
  double seconds;
  std::string_view command;  // of the program, that uses such a model
  const std::vector<std::pair<std::string, Evaluation>>& results;  // of final_splits()
};
// The table at the end of a training, and commands to try next.
std::string end_report(const EndReport& report);

}}  // namespace tapehead::TAPEHEAD_PRECISION
