// What a function on a tape owes besides right numbers: not to touch what is not its own, to repeat
// itself to the bit, and to hand in gradients as the tape asks for them.
#pragma once

#include <optional>
#include <vector>

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Each gives what is wrong, or nothing. `first` is a run with variables as inputs.

// Inputs, cotangent and output keep their bits; other runs, recorded or not, give the same.
std::optional<Finding> check_purity(const Subject& subject, Run& first);

// A parameter's gradient is written where nothing was, whatever the memory held, and added where
// something was. `arrived` says for each input whether any gradient came; `rounding` is that of the
// gradients.
std::optional<Finding> check_accumulation(const Subject& subject, const Run& first,
                                          const GradientRounding& rounding,
                                          std::vector<bool>& arrived);

// Where one input needs no gradient, the others' stay as they are.
std::optional<Finding> check_constants(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
