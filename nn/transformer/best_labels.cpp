#include "nn/transformer/best_labels.hpp"

#include "core/ops/select_rows.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

BestTokens best_labels(const Transformer& model, const ParameterStore& store, const Batch& batch,
                       Index count, LogSums log_sums) {
  constexpr TokenId none = -1;
  Tape tape(false);
  Pass pass(tape, store);
  pass.keep_weights_packed();  // so that no row's bits depend on the number of rows
  Var rows = model.hidden(pass, batch);
  if (!batch.labels.every_row) {
    rows = select_rows(rows, batch.labels.rows);
  }
  return model.output().best(pass, rows, count, none, log_sums);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
