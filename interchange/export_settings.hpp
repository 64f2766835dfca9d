// The settings of an exported model: its config.json and generation_config.json.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "interchange/architecture.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Throws ConfigError if the architecture has no class for what the run's model gives.
nlohmann::ordered_json exported_config(const SavedRun& run, const Architecture& architecture);

// Throws ConfigError that names each option of the run's model that the other one has otherwise.
void expect_counterpart(const SavedRun& run, const Architecture& architecture,
                        const TheirConfig& theirs);

// `never_written`: what no model writes; `never_predicted`: what ours gives no probability. Both
// are suppressed, and an import tells them apart (interchange/entry_rows.cpp).
nlohmann::ordered_json exported_generation(const nlohmann::ordered_json& config,
                                           const std::vector<TokenId>& never_written,
                                           const std::vector<Index>& never_predicted);

}}  // namespace tapehead::TAPEHEAD_PRECISION
