#include "nn/feed_forward.hpp"

#include "core/ops/activation.hpp"
#include "nn/init.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

FeedForward::FeedForward(const Scope& scope, const ModelOptions& options)
    : activation(options.activation),
      dropout(options.dropout_feed_forward.value_or(options.dropout)),
      path(scope.path()) {
  const Index D = options.d_model;
  const Index F = options.d_ff.value_or(4 * D);
  inner_weight = scope.create("inner.weight", ParameterKind::matrix, {F, D},
                              weight_initializer(options, D, F));
  inner_bias = scope.create("inner.bias", ParameterKind::bias, {F}, Initializer::constant(0));
  outer_weight = scope.create("outer.weight", ParameterKind::matrix, {D, F},
                              weight_initializer(options, F, D));
  outer_bias = scope.create("outer.bias", ParameterKind::bias, {D}, Initializer::constant(0));
}

// f(x) = dropout(activation(x W₁ᵀ + b₁)) W₂ᵀ + b₂
BlockOutput FeedForward::operator()(Pass& pass, const Var& x, const Segments& segments) const {
  const Var hidden = bias_activation(pass.linear(x, inner_weight), pass.parameter(inner_bias),
                                     activation, pass.dropout(dropout, path, segments));
  return {pass.linear(hidden, outer_weight), pass.parameter(outer_bias)};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
