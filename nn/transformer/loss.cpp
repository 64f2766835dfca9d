#include "nn/transformer/loss.hpp"

#include <utility>

#include "core/ops/select_rows.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

CrossEntropy batch_loss(const Transformer& model, Pass& pass, const Batch& batch,
                        const LossOptions& options) {
  static const Module module{.paths = {"loss"}};
  const Labels& labels = batch.labels;
  Var rows = model.hidden(pass, batch);
  if (!labels.every_row) {
    const InModule here(pass.tape(), module);
    rows = select_rows(rows, labels.rows);
  }
  Var logits = model.logits(pass, rows);
  const InModule here(pass.tape(), module);
  return cross_entropy(std::move(logits), labels.ids, static_cast<Scalar>(options.label_smoothing));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
