// Settings with nothing left to decide: what the attentions of a model came to, written back.
#pragma once

#include <vector>

#include "nn/attention_spec.hpp"

namespace tapehead {

// The settings that say the same as these attentions of the layers of one kind, with nothing left
// to `auto` but the budget.
AttentionSettings settings_of(const std::vector<AttentionSpec>& layers);

// Writes into the three kinds' settings what attention_spec() says, layer by layer.
void resolve_attention(ModelOptions& options);

}  // namespace tapehead
