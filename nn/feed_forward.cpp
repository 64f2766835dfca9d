#include "nn/feed_forward.hpp"

#include <vector>

#include "core/ops/activation.hpp"
#include "core/ops/gated_activation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

FeedForward::FeedForward(const Scope& scope, const ModelOptions& options, StackName stack)
    : gated(options.feed_forward == FeedForwardKind::gated),
      activation(options.activation),
      dropout(options.dropout_feed_forward.value_or(options.dropout)),
      path(scope.path()) {
  using Names = std::vector<std::string>;
  const Index D = options.d_model;
  const Index F = options.feed_forward_width();
  const auto bias = [&](const Names& names, Index size) {
    return options.bias_feed_forward
               ? scope.create_stacked(names, ParameterKind::bias, {size}, Initializer::constant(0))
               : Parameter();
  };
  inner_weight =
      scope.create_stacked(gated ? Names{"inner.weight", "gate.weight"} : Names{"inner.weight"},
                           ParameterKind::matrix, {F, D}, weight_initializer(options, D, F));
  inner_bias = bias(gated ? Names{"inner.bias", "gate.bias"} : Names{"inner.bias"}, F);
  outer_weight = scope.create("outer.weight", ParameterKind::matrix, {D, F},
                              last_map_initializer(options, F, D, stack));
  outer_bias = bias({"outer.bias"}, D);
}

// plain:  f(x) = dropout(activation(x W₁ᵀ + b₁)) W₂ᵀ + b₂
// gated:  f(x) = dropout((x W₁ᵀ + b₁) ∘ activation(x Vᵀ + c)) W₂ᵀ + b₂
BlockOutput FeedForward::operator()(Pass& pass, const Var& x, const Segments& segments) const {
  const Var bias = pass.bias(inner_bias, inner_weight.shape[0]);
  const Dropout dropped = pass.dropout(dropout, path, segments);
  const Var hidden = gated
                         ? gated_activation(pass.linear(x, inner_weight), bias, activation, dropped)
                         : bias_activation(pass.linear(x, inner_weight), bias, activation, dropped);
  return {pass.linear(hidden, outer_weight), pass.bias(outer_bias, outer_weight.shape[0])};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
