// The results of a sweep as tables, CSV and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/sweep/results.hpp"

namespace tapehead {

// "model.heads=2, size=narrow"; "the config" if there are no axes.
std::string cell_name(const SweepPlan& plan, std::size_t cell);

// The width of the heads of `results.cells[place]`: "16", or "16/32" where queries and keys have 16
// columns and values 32; "16, 8" where attentions differ.
std::string head_width(const SweepPlan& plan, const SweepResults& results, std::size_t place);

// The cells, best first, and then the conclusions in words.
std::string results_table(const SweepPlan& plan, const SweepResults& results);

// A line for each run, and for each cell.
std::string runs_csv(const SweepPlan& plan, const SweepResults& results);
std::string cells_csv(const SweepPlan& plan, const SweepResults& results);

nlohmann::ordered_json results_json(const SweepPlan& plan, const SweepResults& results);

}  // namespace tapehead
