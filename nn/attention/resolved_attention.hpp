// Resolves the attention settings of a model: writes what each attention was derived to be back
// into the settings, so that no `auto` is left.
#pragma once

#include <vector>

#include "nn/attention/spec.hpp"

namespace tapehead {

// Settings that describe exactly these attentions, the layers of one kind, without `auto` except
// for the budget.
AttentionSettings settings_of(const std::vector<AttentionSpec>& layers);

// The same attention with every option that its positions do not use set to its default, because a
// section for one kind of attention rejects any other value of these options.
AttentionSpec without_unused(AttentionSpec spec);

// Writes the results of attention_spec() into the settings of the three kinds, layer by layer.
void resolve_attention(ModelOptions& options);

}  // namespace tapehead
