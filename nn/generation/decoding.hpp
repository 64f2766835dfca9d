// Decoding: finds the best outputs for prompts, greedily or with beam search.
#pragma once

#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct DecodingOptions {
  Index beam = 1;             // 1: greedy
  double length_penalty = 1;  // hypotheses are ranked by log-probability / length^this
  // An output may be this many tokens longer than its source, counted with one mark.
  Index max_extra_length = 50;
  Index max_length = std::numeric_limits<Index>::max();  // of any output
  // Most rows of a prompt and its output without the last token; also limited by the model.
  Index context = std::numeric_limits<Index>::max();
  Index best = 1;                 // outputs for each source, at most `beam`
  bool scores = true;             // false: greedy search may leave scores at 0
  std::vector<TokenId> never{1};  // tokens that are never written
  TokenId end = 2;                // -1: no end mark, so every output has the maximum length
};

struct Hypothesis {
  std::vector<TokenId> tokens;  // without marks
  double log_probability = 0;   // of all tokens, including an end mark
  double score = 0;
  bool ended = true;  // with an end mark; false: cut off at the maximum length
};

// The outputs of each prompt, best first, without the prompt.
using Outputs = std::vector<std::vector<Hypothesis>>;

// The best outputs of each prompt, by models with decoders. `prompts`: the same prompts for each
// model, in the model's own layout.
Outputs decode_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                     const DecodingOptions& options);

Outputs decode_batch(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
                     const DecodingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
