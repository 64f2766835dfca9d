#include "nn/attention/head_combination.hpp"

#include "core/ops/heads/head_scaling.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Above log 11 a settled gate is 1, so before training the model behaves as without gates.
constexpr double first_log_alpha = 2.5;

}  // namespace

L0Gates::L0Gates(const Scope& scope, const AttentionSpec& spec)
    : heads(spec.heads), d_v(spec.d_v), path((scope / "gates").path()) {
  if (heads > 0 && spec.gates == HeadGating::l0) {
    log_alpha =
        scope.create("gates", ParameterKind::gate, {heads}, Initializer::constant(first_log_alpha));
  }
}

Var L0Gates::operator()(Pass& pass, const Var& heads_side_by_side) const {
  if (!log_alpha) {
    return heads_side_by_side;
  }
  const Var openness = pass.parameter(*log_alpha);
  const std::optional<Draws> draws = pass.step_draws(path);
  return scale_heads({heads_side_by_side},
                     draws ? draw_gates(openness, *draws) : settled_gates(openness), heads, d_v);
}

HeadCombination::HeadCombination(const Scope& scope, const ModelOptions& options,
                                 const AttentionSpec& spec)
    : combine(spec.combine), heads(spec.heads), d_v(spec.d_v), d_model(spec.d_model) {
  if (heads > 0 && combine == Combine::output) {
    Initializer initializer =
        last_map_initializer(options, spec.output_columns(), d_model, stack_of(spec.kind));
    if (spec.start == HeadStart::identical) {
      initializer.column_period = d_v;
    }
    output_weight = scope.create("output.weight", ParameterKind::matrix,
                                 {d_model, spec.output_columns()}, initializer);
  }
  if (heads > 0 && combine == Combine::weighted) {
    head_weights = scope.create("head_weights", ParameterKind::gain, {heads},
                                Initializer::constant(1 / static_cast<double>(heads)));
  }
  if (spec.biases) {
    output_bias =
        scope.create("output.bias", ParameterKind::bias, {d_model}, Initializer::constant(0));
  }
}

BlockOutput HeadCombination::operator()(Pass& pass, const Var& heads_side_by_side) const {
  const Var bias = pass.bias(output_bias, d_model);
  if (combine == Combine::concatenate) {
    return {heads_side_by_side, bias};
  }
  if (combine == Combine::output) {
    return {pass.linear(heads_side_by_side, output_weight), bias};
  }
  const Scalar even = 1 / static_cast<Scalar>(heads);
  const Var shares = combine == Combine::mean ? pass.tape().constant(Tensor::full({heads}, even))
                                              : pass.parameter(head_weights);
  return {sum_heads({heads_side_by_side}, shares, heads, d_v), bias};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
