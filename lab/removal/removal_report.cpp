#include "lab/removal/removal_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string ungated_text(const std::vector<FixedAttention>& attentions) {
  return attentions.empty() ? "" : "\n  left out: " + fixed_text(attentions);
}

nlohmann::ordered_json ungated_json(const std::vector<FixedAttention>& attentions) {
  auto list = nlohmann::ordered_json::array();
  for (const FixedAttention& attention : attentions) {
    list.push_back(
        {{"attention", attention.site.text()}, {"heads", attention.heads}, {"why", attention.why}});
  }
  return list;
}

}  // namespace

std::string importance_table(const Importance& importance) {
  std::vector<Align> columns(7, Align::right);
  columns[0] = Align::left;
  Table table(columns);
  table.row({"attention", "head", "loss without", "more", "loss alone", "more", "importance"});
  table.rule();
  std::optional<AttentionSite> before;
  for (const HeadImportance& head : importance.heads) {
    table.row({head.head.site == before ? "" : head.head.site.text(),
               std::to_string(head.head.head), fmt::format("{:.4f}", head.loss_without),
               fmt::format("{:+.4f}", head.loss_without - importance.loss),
               fmt::format("{:.4f}", head.loss_alone),
               fmt::format("{:+.4f}", head.loss_alone - importance.loss),
               fmt::format("{:.4f}", head.slope)});
    before = head.head.site;
  }
  return table.text() + fmt::format("\n  loss with all heads {:.4f}", importance.loss) +
         ungated_text(importance.ungated);
}

nlohmann::ordered_json importance_json(const Importance& importance) {
  nlohmann::ordered_json json = {{"loss", importance.loss},
                                 {"heads", nlohmann::ordered_json::array()},
                                 {"without_gates", ungated_json(importance.ungated)}};
  for (const HeadImportance& head : importance.heads) {
    json["heads"].push_back({{"attention", head.head.site.text()},
                             {"head", head.head.head},
                             {"loss_without", head.loss_without},
                             {"loss_alone", head.loss_alone},
                             {"importance", head.slope}});
  }
  return json;
}

std::string pruning_table(const PruningCurve& curve) {
  Table table({Align::right, Align::left, Align::right, Align::right, Align::right});
  table.row({"heads left", "removed", "head", "importance", "loss"});
  table.rule();
  table.row({std::to_string(curve.steps.size()), "", "", "", fmt::format("{:.4f}", curve.loss)});
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    const PruningStep& step = curve.steps[i];
    table.row({std::to_string(curve.steps.size() - i - 1), step.removed.site.text(),
               std::to_string(step.removed.head), fmt::format("{:.4f}", step.importance),
               fmt::format("{:.4f}", step.loss)});
  }
  return table.text() + ungated_text(curve.ungated);
}

nlohmann::ordered_json pruning_json(const PruningCurve& curve) {
  nlohmann::ordered_json json = {{"loss", curve.loss},
                                 {"steps", nlohmann::ordered_json::array()},
                                 {"without_gates", ungated_json(curve.ungated)}};
  for (const PruningStep& step : curve.steps) {
    json["steps"].push_back({{"attention", step.removed.site.text()},
                             {"head", step.removed.head},
                             {"importance", step.importance},
                             {"loss", step.loss}});
  }
  return json;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
