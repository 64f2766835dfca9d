// The options of a gradient check: which function it checks, and how exact the gradients must be.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A difference of floats is too coarse to tell a wrong gradient from rounding.
static_assert(std::is_same_v<Scalar, double>,
              "gradient checks need double precision: link this target with tapehead::double");

using GradcheckFunction = std::function<Var(Tape&, const std::vector<Var>&)>;

// A gradient may differ from a slope by relative_tolerance times the larger of the two, plus the
// estimated error of the differences. absolute_tolerance limits how much of that error is excused.
// It is a share of the natural size of a slope: the slope if the outputs changed by their own size
// while the input changes by its own. So both tolerances follow the scale of inputs and outputs.
struct GradcheckOptions {
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-8;
  std::uint64_t seed = 1;  // of the cotangent
  bool probes = true;      // also run the function on inputs derived from the given ones
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
