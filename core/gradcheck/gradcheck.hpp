// The gradient checker: is the backward pass of an op, or of any function of tensors, the
// derivative of its forward pass? A verdict needs the double build: single precision is too coarse
// for one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

using GradcheckFunction = std::function<Var(Tape&, const std::vector<Var>&)>;

struct GradcheckOptions {
  double step = 1e-4;  // of the central differences, times the input's magnitude where that is > 1
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-8;
  std::uint64_t seed = 1;  // of the cotangent
};

struct GradcheckReport {
  bool ok = true;
  std::string message;  // what is wrong: the op, the input, the element, both values; empty when ok
};

// Compares dL/dx with central differences of L = Σ cotangent ∘ function(inputs) for every element x
// of every input, where the cotangent is random, with no element near zero. The function must be
// smooth within two steps of the inputs, and may draw random numbers only if it draws the same ones
// each time.
//
// Also wrong is a function that changes its inputs, the cotangent or, going backwards, its output;
// gives other bits when it runs again or does not record; gives another gradient when some input
// needs none; or, of a gradient, leaves elements unwritten or overwrites what it should add to.
GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
