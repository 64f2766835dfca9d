// Makes a smaller model without some heads, with the outputs of the larger one with their gates at
// 0.
#pragma once

#include <string_view>
#include <vector>

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Why no head of an attention can be removed; empty if some can.
std::string_view why_none_goes(const Transformer& transformer, const MultiHeadAttention& attention);
std::vector<FixedAttention> staying_attentions(const Transformer& transformer);

// The options of a model without these heads. Throws ConfigError for a head that does not exist,
// and if heads cannot be separated: without their own output projection, with narrow inputs, where
// attentions share weights, or if groups of heads that share keys would become unequal.
ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const std::vector<HeadName>& removed);

// Copies the weights that the smaller model still has. `to`: made from options_without() these
// heads.
void keep_weights(const Model& from, const std::vector<HeadName>& removed, Model& to);

}}  // namespace tapehead::TAPEHEAD_PRECISION
