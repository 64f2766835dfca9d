#include "nn/norm.hpp"

#include "core/ops/norm.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Norm::Norm(const Scope& scope, NormKind norm_kind, Index D)
    : kind(norm_kind),
      path(scope.path()),
      gain(scope.create("gain", {D}, Initializer::constant(1))) {
  if (kind == NormKind::layer_norm) {
    bias = scope.create("bias", {D}, Initializer::constant(0));
  }
}

Var Norm::operator()(Pass& pass, const Var& x) const {
  if (kind == NormKind::layer_norm) {
    return layer_norm(x, pass.parameter(gain), pass.parameter(bias));
  }
  return rms_norm(x, pass.parameter(gain));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
