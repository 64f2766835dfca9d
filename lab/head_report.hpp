// What is known of all heads of a run, as tables and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/head_figures.hpp"
#include "lab/head_importance.hpp"
#include "lab/head_maps.hpp"
#include "lab/head_pruning.hpp"
#include "lab/head_watch.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct HeadReport {
  HeadFigures figures;
  std::optional<HeadMaps> maps;
  std::vector<double> divergence;  // mean from each head of the same attention, nats
};

struct AttentionReport {
  std::string path;
  double queries = 0;
  std::vector<HeadReport> heads;
  std::vector<RelationFigures> relations;  // that the task knows, and each head's agreement
};

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
