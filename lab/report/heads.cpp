// The part of a report about the heads.
#include "lab/report/run.hpp"

#include "lab/heads/head_legend.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/removal/removal_report.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using FigureOfHead = std::function<Json(const ReportedHead&)>;
using NamedFigure = std::pair<std::string, FigureOfHead>;

// The agreement with relations first, then what every head has: figures, then those of a group.
std::vector<NamedFigure> figures_of_heads(const AttentionReport& attention,
                                          const std::vector<HeadFigureRow>& rows) {
  std::vector<NamedFigure> figures;
  for (std::size_t r = 0; r < attention.relations.size(); ++r) {
    figures.emplace_back("follows " + attention.relations[r].name, [r](const ReportedHead& head) {
      const auto& relations = head.attention.relations;
      return r < relations.size() ? or_null(relations[r].agreement[head.number]) : Json();
    });
  }
  for (const bool grouped : {false, true}) {
    for (const HeadFigureRow& row : rows) {
      if (!row.curve.empty() && (row.key.find('.') != std::string::npos) == grouped) {
        figures.emplace_back(row.curve,
                             [&row](const ReportedHead& head) { return value_of(row, head); });
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

// A gradient takes about as much time as three losses.
constexpr Index slope_work = 3;

// With fewer sentences, differences between heads would be chance.
constexpr Index least_importance_examples = 10;
constexpr Index least_pruning_examples = 50;

void say(const ReportRequest& request, const char* what) {
  if (request.progress) {
    request.progress(what);
  }
}

// The loss without some heads, as far as the effort allows, and notes about what is missing.
void add_ablations(Json& json, Model& model, const Config& config, const Task& task,
                   const Split& split, const ReportRequest& request, Workers& workers) {
  const ReportEffort& effort = request.effort;
  const auto all = split.size();
  const auto heads = static_cast<Index>(gateable_heads(model.transformer).size());
  if (const auto ungated = ungated_attentions(model.transformer); !ungated.empty()) {
    json["notes"].push_back(
        fmt::format("Without importance and pruning: {}.", fixed_text(ungated)));
  }
  if (heads == 0) {
    return;
  }
  const Index weighed = std::min(all, effort.importance / (heads + slope_work));
  const Index pruned = effort.prune ? std::min(effort.watched, all)
                                    : std::min(all, effort.pruning / (heads * (1 + slope_work)));
  if (weighed >= std::min(all, least_importance_examples)) {
    say(request, "the loss without each head");
    json["importance"] = importance_json(
        head_importance(model, config, task, first_examples(split, weighed), workers));
    json["importance"]["examples"] = weighed;
  } else {
    json["notes"].push_back(
        "The importance of the heads is left out, since it would have taken longer than a "
        "validation. The command `report` adds it.");
  }
  if (effort.prune || pruned >= std::min(all, least_pruning_examples)) {
    say(request, "the loss as heads go one by one");
    json["pruning"] = pruning_json(prune_heads(model, config, task, first_examples(split, pruned),
                                               usual_slope_examples, workers));
    json["pruning"]["examples"] = pruned;
  } else {
    json["notes"].push_back(
        fmt::format("There is no pruning curve, since with {} heads it takes longer than a page "
                    "should. The command `report` with --prune adds it.",
                    heads));
  }
}

}  // namespace

Json report_heads_json(Model& model, const Config& config, const Task& task, const Split& split,
                       const ReportRequest& request, Workers& workers) {
  const Index watched = std::min(request.effort.watched, split.size());
  say(request, "watching the heads");
  Json json = {{"split", split.name}, {"watched", watched}};
  json["attentions"] =
      heads_json(study_heads(model, config, task, *first_examples(split, watched).source, workers,
                             request.figures),
                 request.figures);
  json["legend"] = legend_json(request.figures);
  json["notes"] = Json::array();
  add_ablations(json, model, config, task, split, request, workers);
  return json;
}

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
    for (const auto& [name, of] : figures_of_heads(last[a], rows)) {
      if (Json curves = curves_of(history, a, of); !curves.is_null()) {
        figures[name] = std::move(curves);
      }
    }
    json["attentions"].push_back({{"attention", last[a].site.text()}, {"figures", figures}});
  }
  return json;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
