// Decoding: finds the best outputs for prompts, greedily or with beam search.
#pragma once

#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct DecodingOptions {
  Index beam = 1;             // 1: greedy
  double length_penalty = 1;  // a hypothesis is ranked by log-probability / length^this
  // An output has at most this many tokens more than its source, with one mark.
  Index max_extra_length = 50;
  Index max_length = std::numeric_limits<Index>::max();  // of any output, whatever the source
  // Rows that a prompt and its output may have, the last token apart; or the model's positions.
  Index context = std::numeric_limits<Index>::max();
  Index best = 1;                 // outputs wanted for each source, at most `beam`
  bool scores = true;             // false: not needed; greedy search then leaves them at 0
  std::vector<TokenId> never{1};  // are never written
  TokenId end = 2;                // -1: none, so every output has the maximum length
};

struct Hypothesis {
  std::vector<TokenId> tokens;  // without marks
  double log_probability = 0;   // of all tokens, including the end mark if there is one
  double score = 0;
  bool ended = true;  // with an end mark; false: at the greatest length
};

// Of each prompt, best first: what follows its input.
using Outputs = std::vector<std::vector<Hypothesis>>;

// The best outputs of each prompt. The models must have decoders. `prompts`: the same prompts for
// each model, in its own layout.
Outputs decode_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                     const DecodingOptions& options);

// Of one model.
Outputs decode_batch(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
                     const DecodingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
