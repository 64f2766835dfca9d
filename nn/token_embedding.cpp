#include "nn/token_embedding.hpp"

#include <cmath>

#include "core/ops/embedding.hpp"
#include "core/ops/residual.hpp"
#include "nn/init.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

TokenEmbedding::TokenEmbedding(const Scope& scope, const ModelOptions& options,
                               Parameter shared_table, const Tensor& sines)
    : table(shared_table),
      scale(options.embedding_scale == EmbeddingScale::none
                ? Scalar{1}
                : static_cast<Scalar>(std::sqrt(static_cast<double>(options.d_model)))),
      positions(options.positions),
      sinusoidal(sines),
      dropout(options.dropout_embedding.value_or(options.dropout)),
      module{.paths = {scope.path()}} {
  if (positions == PositionKind::learned) {
    learned =
        scope.create("positions", ParameterKind::embedding,
                     {options.max_positions, options.d_model}, embedding_initializer(options));
  }
}

Var TokenEmbedding::operator()(Pass& pass, const Tokens& tokens) const {
  const InModule here(pass.tape(), module);
  Var x = lookup(pass.parameter(table), tokens.ids, scale);
  if (positions != PositionKind::none) {
    const bool fixed = positions == PositionKind::sinusoidal;
    x = add_positions(x, fixed ? pass.tape().constant(sinusoidal) : pass.parameter(learned),
                      tokens.segments);
  }
  return tapehead::dropout(x, pass.dropout(dropout, module.path(), tokens.segments));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
