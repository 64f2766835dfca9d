// What is known of all heads of a run, as tables and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/heads/attention_report.hpp"
#include "lab/heads/head_watch.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<AttentionReport> report_heads(const std::vector<AttentionSums>& attentions,
                                          const Model& model);

std::string heads_table(const std::vector<AttentionReport>& attentions);
std::string maps_table(const std::vector<AttentionReport>& attentions);
nlohmann::ordered_json heads_json(const std::vector<AttentionReport>& attentions);

}}  // namespace tapehead::TAPEHEAD_PRECISION
