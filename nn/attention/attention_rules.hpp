// Which options of an attention contradict each other, whether they leave heads without a
// difference, and which attentions can share their weights.
#pragma once

#include <optional>

#include "core/errors.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead {

// The options that contradict each other, if any, named as in AttentionSettings.
std::optional<Violation> spec_violation(const AttentionSpec& spec);

// Whether there are several heads, and all of them always have the same queries, keys, values and
// weights of attention: no projection, position, pattern, score or scale differs by head.
bool heads_are_copies(const AttentionSpec& spec);

// Whether they differ at most in kind, pattern and dropout, and learn numbers for as many
// distances.
bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b);

}  // namespace tapehead
