// The inspection of a text: what every head of a run does with it, what the model predicts, also
// without some heads, and what a head would do if it only looked by position.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "core/sequence/batch.hpp"
#include "core/sequence/pattern.hpp"
#include "nn/pass.hpp"
#include "predict/reader.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One sequence as every head of a model sees it, and what the model predicts.
struct InspectedSequence {
  std::vector<std::string> source_tokens;  // what the encoder reads, or an encoder alone
  std::vector<std::string> target_tokens;  // what the decoder reads
  std::vector<std::string> said_tokens;    // after each of these; empty for a row without a label
  std::vector<RecordedAttention> heads;    // in the order in which a pass computes them
  PoolVector<Index> rows;                  // of the input, which have a label
  std::vector<std::string> labels;         // of these rows
  Tensor logits;                           // (rows, V)

  // Those of the input, whose rows predict.
  const std::vector<std::string>& input_tokens() const {
    return target_tokens.empty() ? source_tokens : target_tokens;
  }
};

// `batch`: one sequence, in the layout of the model. One pass, with no dropout.
InspectedSequence inspect(const Model& model, const Tokenizers& tokenizers, const Batch& batch,
                          const HeadSubstitute& substitute = {});

struct Prediction {
  std::string token;
  double probability = 0;
};

// The `count` most likely tokens at labelled row `row`, the most likely first.
std::vector<Prediction> predictions(const Tensor& logits, Index row, const Tokenizer& tokenizer,
                                    Index count);

// Whose tokens the rows of an attention's queries, and of its keys, are: "source" or "target".
std::string_view query_side(const AttentionSite& site);
std::string_view key_side(const AttentionSite& site);

// [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source", "heads": [...]}]
Json attentions_json(const InspectedSequence& sequence,
                     const std::function<Json(const RecordedAttention&)>& head_json);

struct InspectionRequest {
  std::string text;
  std::optional<std::string> target{};  // absent: the model's own output
  std::vector<std::string> without{};   // heads, such as decoder.layers.0.cross.2
  // Another text: the heads are not left out, but look by distance alone, with the mean weights
  // that they have in this text (mean_by_distance).
  std::optional<std::string> pattern{};
};

// What the model reads of a text.
struct TextBatch {
  Batch batch;              // one sequence, in the model's layout
  std::string target{};     // empty for running text
  LineRead read;            // the text, and the target's tokens
  bool generated = false;   // the target is the model's own
  bool unfinished = false;  // and is cut, because it had not ended at its greatest length
};

// The same sequence without some heads, or with heads that look by distance alone.
struct WithoutHeads {
  std::vector<std::string> heads;
  std::optional<std::string> pattern{};
  std::string target{};  // the output of the model without them, where the whole model's is shown
  InspectedSequence sequence{};
};

struct Inspection {
  TextBatch text;
  InspectedSequence sequence{};
  std::optional<WithoutHeads> without{};
};

// For the text and the pattern's text, throws DataError for a text without a known token, for a
// text or target of more tokens than the model has positions, and for a class that does not exist;
// ConfigError for a target of running text. Throws ConfigError, with the heads that there are, for
// a head that does not exist or whose output cannot be left out.
Inspection inspect_text(const SavedRun& run, const InspectionRequest& request, Workers& workers);

// A document of the form "tapehead attention", version 1, which docs/look-inside.md describes.
// Without tensors it says only how many heads an attention has.
enum class WithTensors { no, yes };
Json inspection_json(const SavedRun& run, const Inspection& inspection, WithTensors with);

// A safetensors file: `weights`, `scores` and `outputs` of each head after its name, such as
// encoder.layers.0.self.0.weights; `logits` and, without some heads, `without.logits`. The metadata
// has inspection_json() without tensors, as `tapehead`. Throws IoError.
void write_inspection(const std::filesystem::path& path, const SavedRun& run,
                      const Inspection& inspection);

// For each attention the key with the largest weight, and this in percent, by query and head.
std::string attention_tables(const Inspection& inspection);

// For each labelled row what the model predicts after it, and without some heads beside it.
std::string predictions_table(const SavedRun& run, const Inspection& inspection);

// For each distance, a key's position minus the query's, a weight of at least 0.
struct DistanceWeights {
  Index first = 0;             // the smallest distance
  PoolVector<Scalar> weights;  // of the distances first, first + 1, ...; others have 0

  Scalar at(Index distance) const {
    const Index i = distance - first;
    return i < 0 || i >= std::ssize(weights) ? Scalar{0} : weights[static_cast<std::size_t>(i)];
  }
};

// For each distance d = j - i: the mean of the weights w_ij over the queries i that may attend to
// key j. Row i of a sequence is position i. What `top` of the pattern leaves out counts as the
// weight 0: weights_at() does not apply `top`.
DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix);

// (queries, keys): the weight of each distance, divided by the sum of those that the query may
// attend to. A query with the sum 0 attends to nothing. `top` of a pattern is not applied.
Tensor weights_at(const DistanceWeights& by_distance, const Pattern& pattern,
                  const Segment& queries, const Segment& keys);

}}  // namespace tapehead::TAPEHEAD_PRECISION
