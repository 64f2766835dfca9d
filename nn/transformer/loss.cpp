#include "nn/transformer/loss.hpp"

#include <utility>

#include "core/ops/select_rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

CrossEntropy batch_loss(const Transformer& model, Pass& pass, const Batch& batch,
                        const LossOptions& options) {
  const Labels& labels = batch.labels;
  const Var rows = [&] {
    Var all = model.hidden(pass, batch);
    return labels.every_row ? all : select_rows(all, labels.rows);
  }();
  static const Module module{.paths = {"loss"}};
  Var logits = model.logits(pass, rows);
  const InModule here(pass.tape(), module);
  return cross_entropy(std::move(logits), labels.ids, static_cast<Scalar>(options.label_smoothing));
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
