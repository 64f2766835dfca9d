// Which heads matter, as tables and as JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/figure_table.hpp"
#include "lab/removal/head_importance.hpp"
#include "lab/removal/head_pruning.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What is left when a head has gone, and which; none has gone at the beginning.
struct PruningState {
  std::size_t left = 0;
  const PruningStep* step = nullptr;
  double loss = 0;
};

// What is said of a head and of a state. `loss` is that with all heads.
std::vector<FigureRow<HeadImportance>> importance_rows(double loss = 0);
std::vector<FigureRow<PruningState>> pruning_rows();
std::vector<FigureRow<GatedHead>> gate_rows();

std::string importance_table(const Importance& importance);
Json importance_json(const Importance& importance);

std::string pruning_table(const PruningCurve& curve);
Json pruning_json(const PruningCurve& curve);

}}  // namespace tapehead::TAPEHEAD_PRECISION
