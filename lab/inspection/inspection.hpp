// Inspects a text: what every head of a run does with it and what the model predicts. Optionally
// also without some heads, or with heads that look by distance alone.
#pragma once

#include "core/kernel/workers.hpp"
#include "lab/inspection/head_walk.hpp"
#include "predict/reader.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What every head of a model does with one sequence, and what the model predicts.
struct InspectedSequence {
  std::vector<std::string> source_tokens;  // read by the encoder, also if there is no decoder
  std::vector<std::string> target_tokens;  // read by the decoder
  std::vector<std::string> said_tokens;    // the label of each target token; empty without a label
  std::vector<RecordedAttention> heads;    // in the order in which a pass computes them
  // The projections, named such as decoder.layers.0.self.query, before anything else happens to
  // them. Heads may share those of keys and values.
  std::map<std::string, HeadMatrix> projections;
  PoolVector<Index> rows;           // the input rows that have a label
  std::vector<std::string> labels;  // of `rows`
  Tensor logits;                    // (rows, V)

  // The tokens whose rows predict.
  const std::vector<std::string>& input_tokens() const {
    return target_tokens.empty() ? source_tokens : target_tokens;
  }
  // Of a side, "source" or "target".
  const std::vector<std::string>& tokens(std::string_view side) const {
    return side == "source" ? source_tokens : target_tokens;
  }
};

// `batch`: one sequence, in the layout of the model. One pass, with no dropout.
InspectedSequence inspect(const Model& model, const Tokenizers& tokenizers, const Batch& batch,
                          const HeadSubstitute& substitute = {});

// A head in numbers, for a sequence that inspect() has seen. Throws ConfigError for a missing head.
HeadWalk walk(const Model& model, const Batch& batch, const InspectedSequence& seen,
              const HeadName& head);

struct Prediction {
  std::string token;
  double probability = 0;
};

// The `count` most likely tokens at labelled row `row`, the most likely first.
std::vector<Prediction> predictions(const Tensor& logits, Index row, const Tokenizer& tokenizer,
                                    Index count);

// The side of the sentence, "source" or "target", that an attention's queries or keys belong to.
std::string_view query_side(const AttentionSite& site);
std::string_view key_side(const AttentionSite& site);

// [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source", "heads": [...]}]
Json attentions_json(const InspectedSequence& sequence,
                     const std::function<Json(const RecordedAttention&)>& head_json);

// Later tokens of a side of a sentence are left out on a page, where a weight takes 8/3 bytes.
constexpr Index most_shown_tokens = 64;
constexpr Index shown_weights = 800'000;  // of a sentence, all sentences, or all texts of the user

// A sentence as on pages (report_sentences()), without output and reference: at most `most` tokens
// a side, fewer if all heads would have more than `shown_weights` weights.
Json sentence_json(const InspectedSequence& sequence, const std::string& source,
                   std::optional<Index> number, Index most = most_shown_tokens);

struct InspectionRequest {
  std::string text;
  std::optional<std::string> target{};  // absent: the model's own output
  std::vector<std::string> without{};   // heads, such as decoder.layers.0.cross.2
  // If given, the heads in `without` are not left out. Their weights then depend on distance alone:
  // the mean weights in this other text (mean_by_distance).
  std::optional<std::string> pattern{};
  std::optional<std::string> walk{};  // the head to show in numbers
};

struct TextBatch {
  Batch batch;              // one sequence, in the model's layout
  std::string target{};     // empty for running text
  LineRead read;            // the tokens of the text and of the target
  bool generated = false;   // the target is the model's own output
  bool unfinished = false;  // the output was cut at its greatest length
};

// The same sequence without some heads, or with heads that look by distance alone.
struct WithoutHeads {
  std::vector<std::string> heads;
  std::optional<std::string> pattern{};
  std::string target{};  // the changed model's output, if the target was generated
  InspectedSequence sequence{};
};

struct Inspection {
  TextBatch text;
  InspectedSequence sequence{};
  std::optional<WithoutHeads> without{};
  std::optional<HeadWalk> walk{};
};

// Throws DataError for a text or pattern without a known token, a text or target with more tokens
// than the model has positions, and an unknown class. Throws ConfigError for a target of running
// text, and for a head that does not exist (listing the existing heads) or that cannot be left out.
Inspection inspect_text(const SavedRun& run, const InspectionRequest& request, Workers& workers);

// A document of the form "tapehead attention", version 1 (docs/look-inside.md). Without tensors it
// only has the number of heads of each attention.
enum class WithTensors { no, yes };
Json inspection_json(const SavedRun& run, const Inspection& inspection, WithTensors with);

// Writes a safetensors file: each head's `queries`, `keys`, `values`, `weights`, `scores` and
// `outputs`, named such as encoder.layers.0.self.0.weights; `logits`; `without.logits` if heads are
// left out; and a walk's matrices, such as walk.query. The metadata entry `tapehead` is
// inspection_json() without tensors. Throws IoError.
void write_inspection(const fs::path& path, const SavedRun& run, const Inspection& inspection);

// The steps of a walk, with the first rows and columns of each matrix.
std::string walk_tables(const HeadWalk& walk);

// A walk for pages: at most `most_shown_tokens` rows and columns of each matrix.
Json walk_on_page(const HeadWalk& walk);
// The walk of the first head; null without heads.
Json first_walk(const Model& model, const Batch& batch, const InspectedSequence& seen);

// For each attention, query and head: the key with the largest weight, and this weight in percent.
std::string attention_tables(const Inspection& inspection);

// What the model predicts after each labelled row, also without the heads that are left out.
std::string predictions_table(const SavedRun& run, const Inspection& inspection);

// A weight of at least 0 for each distance, the key's position minus the query's position.
struct DistanceWeights {
  Index first = 0;             // the smallest distance
  PoolVector<Scalar> weights;  // of the distances first, first + 1, ...; 0 at all others

  Scalar at(Index distance) const {
    const Index i = distance - first;
    return i < 0 || i >= std::ssize(weights) ? Scalar{0} : weights[static_cast<std::size_t>(i)];
  }
};

// For each distance d = j - i: the mean of the weights w_ij over the queries i that may attend to
// key j. Row i is position i. Keys that `top` leaves out count with weight 0, because weights_at()
// does not apply `top`.
DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix);

// (queries, keys): the weight of each distance, divided by the sum over the keys that the query may
// attend to. A query with the sum 0 attends to nothing. `top` of a pattern is not applied.
Tensor weights_at(const DistanceWeights& by_distance, const Pattern& pattern,
                  const Segment& queries, const Segment& keys);

}}  // namespace tapehead::TAPEHEAD_PRECISION
