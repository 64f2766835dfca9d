// What is known of all heads of a run, as tables and as JSON.
#pragma once

#include <map>
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

// A mean distance to a head, the nearest of several.
struct NearestHead {
  AttentionSite site;
  std::size_t head = 0;
  double distance = 0;
};

struct HeadReport {
  HeadFigures figures;
  std::optional<HeadMaps> maps;
  std::vector<double> divergence{};  // mean from each head of the same attention, nats
  // 1 - cos of what the two write, mean over the queries, for each head of the same attention.
  std::vector<double> output_distance{};
  // The same as `divergence` from the heads of all other attentions of the same kind.
  std::map<AttentionSite, std::vector<double>> divergence_across{};
  std::optional<NearestHead> nearest{};  // by divergence, of all layers
};

struct AttentionReport {
  AttentionSite site;
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
