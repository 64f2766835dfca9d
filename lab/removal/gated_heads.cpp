#include "lab/removal/gated_heads.hpp"

#include <optional>

#include "core/ops/heads/head_scaling.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<GatedHead> gated_heads(const Model& model) {
  std::vector<GatedHead> heads;
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    const std::optional<Parameter>& log_alpha = attention->weights.gates.log_alpha;
    for (Index head = 0; log_alpha && head < attention->spec.heads; ++head) {
      Tape tape(false);
      const Var own = tape.constant(model.store.value(*log_alpha).part(head, {1}));
      heads.push_back({.head = {.site = attention->site, .head = head},
                       .gate = static_cast<double>(settled_gates(own).value().data()[0]),
                       .open = static_cast<double>(open_gates(own).value().data()[0])});
    }
  }
  return heads;
}

std::vector<HeadName> closed_heads(const Model& model) {
  std::vector<HeadName> closed;
  for (const GatedHead& head : gated_heads(model)) {
    if (head.gate == 0) {
      closed.push_back(head.head);
    }
  }
  return closed;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
