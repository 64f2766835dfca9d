// What a gradient check is asked for: a function of tensors, and how exact its gradients must be.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/gradcheck/precision.hpp"
#include "core/tape/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

using GradcheckFunction = std::function<Var(Tape&, const std::vector<Var>&)>;

// A gradient may differ from a slope by relative_tolerance of the larger of the two, and besides by
// what the differences may be off, by their own estimate. absolute_tolerance says how much of that
// is excused: as a share of the slope that there would be if the outputs changed by as much as they
// are while the input does. So both follow the scale of inputs and outputs.
struct GradcheckOptions {
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-8;
  std::uint64_t seed = 1;  // of the cotangent
  bool probes = true;      // also try the function on inputs made from those given
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
