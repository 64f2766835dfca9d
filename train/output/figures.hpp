// Checks the figures about a trained model before they are reported.
#pragma once

#include "core/files/json_text.hpp"

namespace tapehead {

// Throws NumericError that names the first figure, at any depth, that is not a finite number.
// Weights that are finite but far too large lead to such figures, and a table of them would look
// like results. `place`: the keys that lead to these figures.
void expect_figures(const Json& figures, const std::string& place = "");

}  // namespace tapehead
