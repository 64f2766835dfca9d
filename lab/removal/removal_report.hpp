// Which heads matter, as tables and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "lab/removal/head_importance.hpp"
#include "lab/removal/head_pruning.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::string importance_table(const Importance& importance);
nlohmann::ordered_json importance_json(const Importance& importance);

std::string pruning_table(const PruningCurve& curve);
nlohmann::ordered_json pruning_json(const PruningCurve& curve);

}}  // namespace tapehead::TAPEHEAD_PRECISION
