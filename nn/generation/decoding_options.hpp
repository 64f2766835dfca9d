// What decoding is asked for, and one output that it gives.
#pragma once

#include <limits>
#include <vector>

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct DecodingOptions {
  Index beam = 1;  // 1: greedy
  double length_penalty =
      1;  // a hypothesis is worth its log-probability over its length to this power
  // An output is cut at so many tokens more than its source with its end mark.
  Index max_extra_length = 50;
  Index max_length = std::numeric_limits<Index>::max();  // of any output, whatever its source
  Index best = 1;      // outputs wanted for each source, at most `beam`
  bool scores = true;  // false: not wanted, and greedy search, which needs none, leaves them at 0
  TokenId begin = 1;
  TokenId end = 2;  // -1: there is none, and every output is as long as it may be
};

struct Hypothesis {
  std::vector<TokenId> tokens;  // without marks
  double log_probability = 0;   // of all tokens, the end mark included where it was reached
  double score = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
