#include "lab/heads/recorded_attentions.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch) {
  std::vector<RecordedAttention> all;
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.recorder = [&all](const RecordedAttention& one) { all.push_back(one); };
  model.transformer.hidden(pass, batch);
  return all;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
