// Settings with nothing left to decide: what the attentions of a model came to, written back.
#pragma once

#include <vector>

#include "nn/attention/spec.hpp"

namespace tapehead {

// The settings that say the same as these attentions of the layers of one kind, with nothing left
// to `auto` but the budget.
AttentionSettings settings_of(const std::vector<AttentionSpec>& layers);

// The same attention, with the options that its positions make no use of at their defaults: in a
// section of its own any other value of these would be refused.
AttentionSpec without_unused(AttentionSpec spec);

// Writes into the three kinds' settings what attention_spec() says, layer by layer.
void resolve_attention(ModelOptions& options);

}  // namespace tapehead
