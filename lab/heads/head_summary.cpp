// Summarises the heads of a run in a few named numbers.
#include "lab/heads/conclusions.hpp"

#include "lab/bootstrap.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string without_spaces(std::string_view name) { return replaced(name, {{" ", "_"}}); }

// The figures of a row for all heads of a kind of attention. Figures of pairs count each pair once.
std::vector<double> values_of(const HeadFigureRow& row, const AttentionReports& attentions,
                              AttentionKind kind) {
  std::vector<double> values;
  for (const ReportedHead& head : heads_of(attentions)) {
    if (head.attention.site.kind != kind) {
      continue;
    }
    const auto value = value_of(row, head);
    if (value.is_number()) {
      values.push_back(value.get<double>());
    } else if (value.is_array()) {
      values.insert(values.end(), value.begin(), value.begin() + static_cast<Index>(head.number));
    }
  }
  return values;
}

}  // namespace

NamedFigures summary_of(const AttentionReports& attentions, const HeadFigureRows& rows) {
  NamedFigures summary;
  for (const HeadFigureRow& row : rows) {
    if (row.sweep.empty()) {
      continue;
    }
    for (const AttentionKind kind : attention_kinds) {
      const Spread spread = spread_of(values_of(row, attentions, kind));
      const std::string name = fmt::format("{}.{}", name_of(kind), row.sweep);
      if (spread.count > 0) {
        summary[name] = spread.mean;
      }
      if (row.spread && spread.has_deviation()) {
        summary[name + "_spread"] = spread.deviation;
      }
    }
  }
  for (const BestHead& best : best_heads(attentions)) {
    const std::string name =
        fmt::format("{}.{}", name_of(best.site.kind), without_spaces(best.relation.name));
    if (best.agreement()) {
      summary[name + ".best_head"] = *best.agreement();
      summary[name + ".random"] = best.random();
    }
    summary[name + ".best_offset"] = best.relation.offset_share;
  }
  for (const std::string_view role : role_names) {
    summary["role." + without_spaces(role)] = 0;
  }
  for (const ReportedHead& head : heads_of(attentions)) {
    ++summary["role." + without_spaces(name_of(head->figures.role))];
    ++summary["heads"];
  }
  return summary;
}

NamedFigures summary_of(const std::vector<GatedHead>& gates) {
  return {{"heads.closed", static_cast<double>(closed_heads(gates).size())}};
}

NamedFigures summary_of(const Importance& importance) {
  std::map<std::string, std::vector<double>> values;
  std::vector<double> spare;
  for (const HeadImportance& head : importance.heads) {
    const double more = head.loss_without - importance.loss;
    values[head.head.site.text() + ".more_without"].push_back(more);
    values[head.head.site.text() + ".more_alone"].push_back(head.loss_alone - importance.loss);
    spare.push_back(more <= spare_loss ? 1 : 0);
  }
  NamedFigures summary;
  if (!spare.empty()) {
    summary["heads.spare"] = spread_of(spare).mean;
  }
  for (const auto& [name, of_heads] : values) {
    summary[name] = spread_of(of_heads).mean;
    summary[name + "_most"] = std::ranges::max(of_heads);
  }
  return summary;
}

NamedFigures summary_of(const PruningCurve& curve) {
  if (curve.steps.empty()) {
    return {};
  }
  const auto share_within = [&](double nats) {
    return static_cast<double>(curve.steps_within(nats)) / static_cast<double>(curve.steps.size());
  };
  return {{"heads.prunable", share_within(spare_loss)},
          {"heads.prunable_at_ten_times", share_within(10 * spare_loss)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
