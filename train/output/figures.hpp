// Checks the figures about a trained model before they are reported.
#pragma once

#include <nlohmann/json.hpp>

namespace tapehead {

// Throws NumericError that names the first figure, at any depth, that is not a finite number.
// Weights that are finite but far too large lead to such figures, and a table of them would look
// like results.
void expect_figures(const nlohmann::ordered_json& figures);

}  // namespace tapehead
