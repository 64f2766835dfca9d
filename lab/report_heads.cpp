#include "lab/report_heads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "lab/head_report.hpp"
#include "train/evaluation.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

// A gradient takes about as long as three losses.
constexpr Index slope_work = 3;

// Fewer sentences than these would tell heads apart by chance.
constexpr Index least_importance_examples = 10;
constexpr Index least_pruning_examples = 50;

Json importance_part(SavedRun& run, const Task& task, const Split& split, Workers& workers) {
  Json json = importance_json(head_importance(run.model, run.config, task, split, workers));
  json["examples"] = split.examples.size();
  return json;
}

Json pruning_part(SavedRun& run, const Task& task, const Split& split, Workers& workers) {
  Json json =
      pruning_json(prune_heads(run.model, run.config, task, split, usual_slope_examples, workers));
  json["examples"] = split.examples.size();
  return json;
}

}  // namespace

Json report_heads_json(SavedRun& run, const Task& task, const Split& split,
                       const ReportRequest& request, Workers& workers) {
  const ReportEffort& effort = request.effort;
  const auto say = [&](const char* what) {
    if (request.progress) {
      request.progress(what);
    }
  };
  const auto all = static_cast<Index>(split.examples.size());
  const Index watched = std::min(effort.watched, all);
  say("watching the heads");
  Json json = {{"split", split.name}, {"watched", watched}};
  json["attentions"] = heads_json(report_heads(
      watch_heads(run.model.transformer, run.model.store, first_examples(split, watched),
                  token_facts(task), run.config.evaluation.batch_tokens, workers),
      run.model));
  json["notes"] = Json::array();
  const auto heads = static_cast<Index>(heads_of(run.model.transformer).size());
  const Index weighed = std::min(all, effort.importance / (heads + slope_work));
  const Index pruned =
      effort.prune ? watched : std::min(all, effort.pruning / (heads * (1 + slope_work)));
  try {
    if (weighed >= std::min(all, least_importance_examples)) {
      say("the loss without each head");
      json["importance"] = importance_part(run, task, first_examples(split, weighed), workers);
    } else {
      json["notes"].push_back(
          "The importance of the heads is left out, since it would have taken longer than a "
          "validation: `tapehead report` on this run adds it.");
    }
    if (effort.prune || pruned >= std::min(all, least_pruning_examples)) {
      say("the loss as heads go one by one");
      json["pruning"] = pruning_part(run, task, first_examples(split, pruned), workers);
    } else {
      json["notes"].push_back(
          fmt::format("There is no pruning curve, since with {} heads it takes longer than a page "
                      "should: `tapehead report` with --prune on this run adds it.",
                      heads));
    }
  } catch (const ConfigError& error) {
    json["notes"].push_back(fmt::format("No importance and no pruning: {}", error.what()));
  }
  return json;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
