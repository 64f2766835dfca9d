// What is known of all heads of a run, as tables and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/heads/attention_report.hpp"
#include "lab/heads/head_watch.hpp"
#include "lab/removal/head_importance.hpp"
#include "lab/removal/head_pruning.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

std::vector<AttentionReport> report_heads(const std::vector<AttentionSums>& attentions,
                                          const Model& model);

std::string heads_table(const std::vector<AttentionReport>& attentions);
std::string maps_table(const std::vector<AttentionReport>& attentions);
nlohmann::ordered_json heads_json(const std::vector<AttentionReport>& attentions);

std::string importance_table(const Importance& importance);
nlohmann::ordered_json importance_json(const Importance& importance);

std::string pruning_table(const PruningCurve& curve);
nlohmann::ordered_json pruning_json(const PruningCurve& curve);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
