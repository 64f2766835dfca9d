#include "lab/removal/gated_heads.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/ops/heads/head_scaling.hpp"
#include "train/output/text_table.hpp"

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

std::string gates_table(const std::vector<GatedHead>& heads) {
  Table table({Align::left, Align::right, Align::right, Align::right});
  table.row({"attention", "head", "gate", "open"});
  table.rule();
  std::optional<AttentionSite> before;
  for (const GatedHead& head : heads) {
    table.row({head.head.site == before ? "" : head.head.site.text(),
               std::to_string(head.head.head), fmt::format("{:.3f}", head.gate),
               fmt::format("{:.3f}", head.open)});
    before = head.head.site;
  }
  return table.text();
}

nlohmann::ordered_json gates_json(const std::vector<GatedHead>& heads) {
  auto list = nlohmann::ordered_json::array();
  for (const GatedHead& head : heads) {
    list.push_back({{"attention", head.head.site.text()},
                    {"head", head.head.head},
                    {"gate", head.gate},
                    {"open", head.open}});
  }
  return list;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
