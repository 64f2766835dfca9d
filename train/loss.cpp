#include "train/loss.hpp"

#include <utility>

namespace tapehead::inline TAPEHEAD_PRECISION {

CrossEntropy translation_loss(const Transformer& model, Pass& pass, const Batch& batch,
                              double label_smoothing) {
  const Var memory = model.encode(pass, batch.source, batch.source_segments);
  const Var hidden =
      model.decode(pass, batch.target_input, batch.target_segments, memory, batch.source_segments);
  static const Module loss{.paths = {"loss"}};
  Var logits = model.logits(pass, hidden);
  const InModule here(pass.tape(), loss);
  return cross_entropy(std::move(logits), batch.target_output,
                       static_cast<Scalar>(label_smoothing));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
