// A pattern of attention as Python: a function of the positions of query and key.
#pragma once

#include <optional>
#include <string>

#include "core/types.hpp"
#include "nn/options/attention_pattern.hpp"

namespace tapehead {

struct PatternText {
  std::string function;          // "causal", "looking_back(blocks(8))"
  std::optional<Index> top_k{};  // keys that are kept
  bool full = false;
  bool near = false;  // a query far behind the last key may have no key at all
};

// `decoder`: in a decoder's self-attention, where no query sees later keys.
PatternText pattern_text(const AttentionPattern& pattern, bool decoder);

}  // namespace tapehead
