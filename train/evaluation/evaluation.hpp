// Evaluation: how well a model predicts a split's targets, and how well it writes them out by
// itself.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/references.hpp"
#include "train/options/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Evaluation {
  Index examples = 0;
  Index tokens = 0;   // of the targets, end marks included
  Index unknown = 0;  // of those, the unknown mark, which counts as right where it is predicted
  double seconds = 0;
  std::vector<std::string> outputs;  // of the first examples, as many as were decoded
  std::vector<bool> right;           // of those outputs: as right_sequences() has it
  // Those of outputs only where there are any. The loss is without label smoothing.
  std::array<std::optional<double>, metric_count> metrics{};
  std::array<std::string, metric_count> signatures{};  // of those that have one

  // 0 for what was not measured.
  double value(Metric metric) const {
    return metrics[static_cast<std::size_t>(metric)].value_or(0);
  }
  double loss() const { return value(Metric::loss); }
};

// Whether `value` is better than `other` by the metric.
bool is_better(Metric metric, double value, double other);

// The tokens of a split's first examples, without their texts; of all where there are fewer.
Split first_examples(const Split& split, Index count);

// How a split's outputs are made: by beam search over batches of like length, one worker a batch.
std::vector<std::string> decode_split(const Transformer& model, const ParameterStore& store,
                                      const Task& task, const Split& split, Index examples,
                                      const EvaluationOptions& options, Workers& workers);

// Decodes `decode_examples` of the split's first examples (0: none of them).
Evaluation evaluate(const Transformer& model, const ParameterStore& store, const Task& task,
                    const Split& split, const EvaluationOptions& options, Index decode_examples,
                    Workers& workers);

DecodingOptions decoding_options(const EvaluationOptions& options);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
