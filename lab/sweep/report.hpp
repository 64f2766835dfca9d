// A sweep's results as people and programs read them: tables, CSV and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/sweep/results.hpp"

namespace tapehead {

// "model.heads=2, size=narrow"; "the config" where there are no axes.
std::string cell_name(const SweepPlan& plan, std::size_t cell);

// The best cell first, then what follows from it in words.
std::string results_table(const SweepPlan& plan, const SweepResults& results);

// A line for each run, and for each cell.
std::string runs_csv(const SweepPlan& plan, const SweepResults& results);
std::string cells_csv(const SweepPlan& plan, const SweepResults& results);

nlohmann::ordered_json results_json(const SweepPlan& plan, const SweepResults& results);

}  // namespace tapehead
