// The gradient checker: is the backward pass of an op, or of any function of tensors, the
// derivative of its forward pass, and if not, what is wrong with it?
#pragma once

#include <functional>
#include <vector>

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/options.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Compares dL/dx with differences of L = Σ cotangent ∘ function(inputs) for every element x of
// every input, where the cotangent is random, with no element near zero. The function may draw
// random numbers only if it draws the same ones each time.
//
// Also wrong is a function that changes its inputs, the cotangent or, going backwards, its output;
// gives other bits when it runs again or does not record; gives another gradient when some input
// needs none; or, of a gradient, leaves elements unwritten or overwrites what it should add to.
//
// The probes: the same Var for two inputs of one shape; only the first row, and no row, of the
// inputs that have as many rows as the first one; inputs 1000 times as large and as small. Where
// the function refuses such inputs (it throws) or its value there is not finite, nothing is said.
// It is run on copies, and what it throws becomes a verdict.
GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

// The same for a function of a ragged batch: the rows of the first input, cut into segments in
// several ways: as one, one row each, unequal lengths, with empty ones among them.
using SegmentedFunction =
    std::function<Var(Tape&, const std::vector<Var>&, const Segments& segments)>;
GradcheckReport gradcheck(const SegmentedFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

}  // namespace tapehead::inline TAPEHEAD_PRECISION
