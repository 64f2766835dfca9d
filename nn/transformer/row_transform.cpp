#include "nn/transformer/row_transform.hpp"

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
