// Figures about a trained model, before they are told as results.
#pragma once

#include <nlohmann/json.hpp>

namespace tapehead {

// Throws NumericError that names the first figure, at whatever depth, that is not a number: weights
// that are finite but far too large make such figures, and a table of them would look like results.
void expect_figures(const nlohmann::ordered_json& figures);

}  // namespace tapehead
