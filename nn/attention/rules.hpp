// What of an attention does not go together, and which attentions can have the same weights.
#pragma once

#include <optional>

#include "core/violation.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead {

// What in it does not go together, if anything: names as in AttentionSettings.
std::optional<Violation> spec_violation(const AttentionSpec& spec);

// Whether they differ in kind, pattern and dropout at most, and learn of as many distances.
bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b);

}  // namespace tapehead
