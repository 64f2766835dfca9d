// Evaluates a trained run on splits of its data. Reports evaluations as a line, a table or JSON.
#pragma once

#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// All test splits and, if there are several, `whole`: all test splits as one. Without test splits,
// the result is empty.
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

// All metrics, signatures of metrics that compare texts (bleu and chrf: as sacreBLEU writes them),
// examples and seconds. unknown_tokens if the targets have any. For running text: loss_by_position,
// means of ranges of positions, {"first": 1, "last": 1, "tokens": 20, "loss": 2.5}. For classes:
// confusion. For examples with types: types, such as {"type": "passive", "examples": 9,
// "sequence_accuracy": 0.97}, type_groups. For answers: answer_accuracy, other_accuracy.
Json evaluation_json(const Evaluation& evaluation);

// The metrics of evaluation_line() with signatures, a row per split. Types have a second table.
std::string evaluation_table(const SplitResults& results);

}}  // namespace tapehead::TAPEHEAD_PRECISION
