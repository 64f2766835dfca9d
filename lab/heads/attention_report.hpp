// The results about the heads of an attention.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_figures.hpp"
#include "lab/heads/head_maps.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The nearest of several heads, and its mean distance.
struct NearestHead {
  AttentionSite site;
  std::size_t head = 0;
  double distance = 0;
};

struct HeadReport {
  HeadFigures figures;
  std::optional<HeadMaps> maps;
  std::vector<double> divergence{};  // mean from each head of the same attention, in nats
  // Mean over the queries of 1 - cos between the outputs of two heads, for each head of the same
  // attention.
  std::vector<double> output_distance{};
  // Like `divergence`, but from the heads of all other attentions of the same kind.
  std::map<AttentionSite, std::vector<double>> divergence_across{};
  std::optional<NearestHead> nearest{};  // by divergence, over all layers
};

struct AttentionReport {
  AttentionSite site;
  double queries = 0;
  std::vector<HeadReport> heads;
  std::vector<RelationFigures> relations;  // those that the task knows, with each head's agreement
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
