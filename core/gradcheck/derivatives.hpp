// Compares gradients with finite differences, for each element of each input.
#pragma once

#include <vector>

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GradientsFound {
  const Run& run;
  const GradientRounding& rounding;
  const std::vector<bool>& arrived;  // for each input, whether any gradient came
};

// What is wrong with the gradients: at most one finding for each input, about its worst element. If
// all seem right, small slopes of single outputs, which larger ones hide, are checked too.
std::vector<Finding> check_derivatives(const Subject& subject, const GradientsFound& found);

}}  // namespace tapehead::TAPEHEAD_PRECISION
