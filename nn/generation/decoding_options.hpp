// The options of decoding, and a hypothesis, which is one output.
#pragma once

#include <limits>
#include <vector>

#include "core/scalar.hpp"
#include "core/types.hpp"

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
