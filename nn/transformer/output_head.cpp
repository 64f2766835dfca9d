#include "nn/transformer/output_head.hpp"

#include "core/ops/activation.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

RowTransform::RowTransform(const Scope& scope, const ModelOptions& options)
    : activation(options.head_transform == HeadTransform::pooler ? Activation::tanh
                                                                 : options.activation),
      weight(scope.create("weight", ParameterKind::matrix,
                          {options.output_width(), options.d_model},
                          weight_initializer(options, options.d_model, options.output_width()))),
      bias(scope.create("bias", ParameterKind::bias, {options.output_width()},
                        Initializer::constant(0))),
      module{.paths = {scope.path()}} {
  if (options.head_transform == HeadTransform::masked) {
    norm.emplace(scope / "norm", options, options.output_width());
  }
}

Var RowTransform::operator()(Pass& pass, const Var& rows) const {
  const InModule here(pass.tape(), module);
  const Var y = bias_activation(pass.linear(rows, weight), pass.parameter(bias), activation);
  return norm ? (*norm)(pass, y) : y;
}

OutputHead::OutputHead(const Scope& scope, const ModelOptions& options, Index labels,
                       const Parameter& table)
    : weight(ties_output(options.tie_embeddings)
                 ? table.first_rows(labels)
                 : scope.create("weight", ParameterKind::output, {labels, options.output_width()},
                                weight_initializer(options, options.output_width(), labels))),
      module{.paths = {scope.path()}} {
  if (options.bias_output) {
    bias = scope.create("bias", ParameterKind::bias, {labels}, Initializer::constant(0));
  }
  if (options.head_transform != HeadTransform::none) {
    transform.emplace(scope / "transform", options);
  }
}

Var OutputHead::logits(Pass& pass, const Var& hidden) const {
  const Var rows = transformed(pass, hidden);
  const InModule here(pass.tape(), module);
  return pass.linear(rows, weight, bias);
}

BestTokens OutputHead::best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                            LogSums log_sums) const {
  const Tensor table = pass.parameter(weight).value().part(0, weight.shape);
  const Tensor added = bias.declared() ? pass.parameter(bias).value() : Tensor();
  return best_tokens(transformed(pass, hidden).value(), table, added, count, excluded, log_sums);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
