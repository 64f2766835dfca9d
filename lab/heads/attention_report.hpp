// What is known of the heads of an attention.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_figures.hpp"
#include "lab/heads/head_maps.hpp"

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

}  // namespace tapehead::inline TAPEHEAD_PRECISION
