#include "lab/report/head_curves.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/heads/head_figure_rows.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;
using FigureOfHead = std::function<Json(const ReportedHead&)>;
struct NamedFigure {
  std::string name;
  FigureOfHead of;
};

// The agreement with the relations of an attention first, then what every head has: first figures,
// then those of a group.
std::vector<NamedFigure> figures_of_heads(const AttentionReport& attention,
                                          const std::vector<HeadFigureRow>& rows) {
  std::vector<NamedFigure> figures;
  for (std::size_t r = 0; r < attention.relations.size(); ++r) {
    figures.push_back(
        {fmt::format("follows {}", attention.relations[r].name), [r](const ReportedHead& head) {
           const auto& relations = head.attention.relations;
           return r < relations.size() ? or_null(relations[r].agreement[head.number]) : Json();
         }});
  }
  for (const bool grouped : {false, true}) {
    for (const HeadFigureRow& row : rows) {
      if (!row.curve.empty() && (row.key.find('.') != std::string::npos) == grouped) {
        figures.push_back(
            {row.curve, [&row](const ReportedHead& head) { return value_of(row, head); }});
      }
    }
  }
  return figures;
}

// [[of each head] of each step], null where a head has no such figure; null if no head ever has it.
Json curves_of(const HeadHistory& history, std::size_t attention, const FigureOfHead& of) {
  Json steps = Json::array();
  bool any = false;
  for (const HeadMoment& moment : history) {
    const AttentionReport& at = moment.attentions[attention];
    Json heads = Json::array();
    for (std::size_t head = 0; head < at.heads.size(); ++head) {
      heads.push_back(of({at, head}));
      any = any || !heads.back().is_null();
    }
    steps.push_back(std::move(heads));
  }
  return any ? steps : Json();
}

}  // namespace

Json head_curves_json(const HeadHistory& history, const std::vector<HeadFigureRow>& rows) {
  Json json = history_json(history);
  json["steps"] = Json::array();
  for (const HeadMoment& moment : history) {
    json["steps"].push_back(moment.step);
  }
  json["attentions"] = Json::array();
  const std::vector<AttentionReport>& last = history.back().attentions;
  for (std::size_t a = 0; a < last.size(); ++a) {
    Json figures = Json::object();
    for (const NamedFigure& figure : figures_of_heads(last[a], rows)) {
      if (Json curves = curves_of(history, a, figure.of); !curves.is_null()) {
        figures[figure.name] = std::move(curves);
      }
    }
    json["attentions"].push_back({{"attention", last[a].site.text()}, {"figures", figures}});
  }
  return json;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
