#include "nn/init.hpp"

#include <cmath>

namespace tapehead {

Initializer weight_initializer(const ModelOptions& options, Index in, Index out) {
  const double deviation =
      options.initializer_gain * std::sqrt(2.0 / static_cast<double>(in + out));
  switch (options.initializer) {
    case InitKind::xavier_uniform:
      return Initializer::uniform(std::sqrt(3.0) * deviation);
    case InitKind::xavier_normal:
      return Initializer::normal(deviation);
    default:
      return Initializer::normal(0.02 * options.initializer_gain);
  }
}

Initializer embedding_initializer(const ModelOptions& options) {
  return Initializer::normal(options.embedding_scale == EmbeddingScale::none
                                 ? 0.02
                                 : 1 / std::sqrt(static_cast<double>(options.d_model)));
}

}  // namespace tapehead
