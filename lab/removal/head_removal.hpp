// Removal: a smaller model with some heads physically gone, that says the same as the larger one
// with those heads gated off.
#pragma once

#include <string_view>
#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Why no head of an attention can be removed; empty: some can.
std::string_view why_none_goes(const AttentionSpec& spec);
std::vector<FixedAttention> staying_attentions(const Transformer& transformer);

// The options of a model without these heads. Throws ConfigError for a head that there is not, and
// where heads cannot be told apart: without an output projection of their own, with narrow inputs,
// and where groups of heads that share keys would become unequal.
ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const std::vector<HeadName>& removed);

// The weights of the larger model that the smaller one still has. `to`: made from options_without()
// with the same heads.
void keep_weights(const Model& from, const std::vector<HeadName>& removed, Model& to);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
