// Checks the contract of a function on a tape beyond right numbers: it must not change memory that
// it does not own, must repeat its result to the bit, and must write gradients as the tape asks.
#pragma once

#include <optional>
#include <vector>

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Each returns what is wrong, or nothing. `first` is a run with variables as inputs.

// Inputs, cotangent and output keep their bits. Other runs, recorded or not, give the same bits.
std::optional<Finding> check_purity(const Subject& subject, Run& first);

// A parameter's gradient is written if there was none before, whatever its memory held, and added
// if there was one. `arrived` says for each input whether any gradient came; `rounding` is that of
// the gradients.
std::optional<Finding> check_accumulation(const Subject& subject, const Run& first,
                                          const GradientRounding& rounding,
                                          std::vector<bool>& arrived);

// If one input needs no gradient, or only one does, the gradients of the others stay the same.
std::optional<Finding> check_constants(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding);

}}  // namespace tapehead::TAPEHEAD_PRECISION
