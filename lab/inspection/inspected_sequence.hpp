// One sequence as every head of a model sees it, and what the model predicts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/sequence/batch.hpp"
#include "datasets/layout.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "nn/pass.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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
nlohmann::ordered_json attentions_json(
    const InspectedSequence& sequence,
    const std::function<nlohmann::ordered_json(const RecordedAttention&)>& head_json);

}}  // namespace tapehead::TAPEHEAD_PRECISION
