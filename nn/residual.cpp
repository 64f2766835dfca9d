#include "nn/residual.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Residual::Residual(const Scope& scope, const ModelOptions& options)
    : position(options.norm_position),
      dropout(options.dropout_residual.value_or(options.dropout)),
      path(path_in(scope)),
      norm(scope / "norm", options) {}

}}  // namespace tapehead::TAPEHEAD_PRECISION
