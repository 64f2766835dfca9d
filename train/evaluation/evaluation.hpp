// Evaluation: how well a model predicts the targets of a split, and how well it generates them.
#pragma once

#include "core/ranks/ranks.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/breakdowns.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Evaluation {
  Index examples = 0;
  Index tokens = 0;   // of the targets, end marks included
  Index unknown = 0;  // of these, unknown marks; correct if predicted
  double seconds = 0;
  std::vector<std::string> outputs{};  // of the first examples, as many as were decoded
  std::vector<bool> right{};           // whether each output is right, by compared_outputs()
  PositionLosses loss_by_position;     // of running text
  Json confusion{};                    // of classes (confusion_json); otherwise null
  TypeScores by_type{};                // of a split whose examples have types
  AnswerScores answers{};              // of labels that were decoded
  // Metrics of outputs are absent if nothing was decoded. The loss is without label smoothing.
  std::array<std::optional<double>, metric_count> metrics{};
  std::array<std::string, metric_count> signatures{};  // of the metrics that have one
  Metric chooses = Metric::loss;  // the metric that chooses the best checkpoint

  // 0 if it was not measured.
  double value(Metric metric) const {
    return metrics[static_cast<std::size_t>(metric)].value_or(0);
  }
  double loss() const { return value(Metric::loss); }
};

struct EvaluationLanes : LaneWindows {
  Index context;  // rows of a window
  Index memory;   // rows that the model remembers
};

// The windows of a split in lanes, for a model that remembers `memory` rows. The first rows of a
// lane remember little, so lanes are long enough to make these rows a small part. At most as many
// lanes as fit into a batch. Windows keep their numbers. Throws ConfigError for several documents.
EvaluationLanes evaluation_lanes(const Split& split, Index memory, Index batch_tokens);

// All lanes, in groups whose batches are as large as a part of a shard.
std::vector<LaneGroup> evaluation_groups(const EvaluationLanes& lanes, Index d_model);

// Runs the model over (at most `most_batches`) batches of these lanes; visits each with its loss.
void read_lanes(const Model& model, const EvaluationLanes& lanes, const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit,
                std::optional<Index> most_batches = {});

// The outputs of the first `examples` examples, by a beam search that is spread over the team.
std::vector<std::vector<TokenId>> decode_tokens(const Model& model, const Split& split,
                                                Index examples, const EvaluationOptions& options,
                                                const Team& team);

// The outputs for the split's first examples as text, with references and whether each is right.
std::vector<ExampleScore> written_examples(const Task& task, const Split& split,
                                           const std::vector<std::vector<TokenId>>& outputs);

// Evaluates the split, and decodes its first `decode_examples` examples (0: none). The batches are
// spread over the team. Except for `seconds`, the result has the same bits with any team. If a
// batch fails, the whole team throws (train/evaluation/shared_parts.hpp).
Evaluation evaluate(const Model& model, const Task& task, const Split& split,
                    const EvaluationOptions& options, Index decode_examples, const Team& team);

DecodingOptions decoding_options(const EvaluationOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
