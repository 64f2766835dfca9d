#include "nn/residual_connection.hpp"

#include "core/ops/norm.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Norm::Norm(const Scope& scope, const ModelOptions& options, Index width)
    : kind(options.norm), epsilon(static_cast<Scalar>(options.norm_epsilon)), path(scope.path()) {
  if (kind != NormKind::none) {
    gain = scope.create("gain", ParameterKind::gain, {width}, Initializer::constant(1));
  }
  if (kind == NormKind::layer_norm && options.bias_norm) {
    bias = scope.create("bias", ParameterKind::bias, {width}, Initializer::constant(0));
  }
}

Var Norm::operator()(Pass& pass, const Var& x) const {
  if (kind == NormKind::none) {
    return x;
  }
  if (kind == NormKind::layer_norm) {
    return layer_norm(x, pass.parameter(gain), pass.bias(bias, gain.shape[0]), epsilon);
  }
  return rms_norm(x, pass.parameter(gain), epsilon);
}

Residual::Residual(const Scope& scope, const ModelOptions& options)
    : position(options.norm_position),
      dropout(options.dropout_residual.value_or(options.dropout)),
      path(path_in(scope)),
      norm(scope / "norm", options) {}

}}  // namespace tapehead::TAPEHEAD_PRECISION
