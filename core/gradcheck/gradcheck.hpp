// The gradient checker: is the backward pass of an op, or of any function of tensors, the
// derivative of its forward pass? If not, what is wrong with it?
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/sequence/batch.hpp"
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

// Compares dL/dx with differences of L = Σ cotangent ∘ function(inputs) for every element x of
// every input. The cotangent is random, with no element near zero. The function may draw random
// numbers only if it draws the same ones each time.
//
// A function is also wrong if it changes its inputs, the cotangent or, in the backward pass, its
// output; if it returns other bits when it runs again or without recording; if its gradient is not
// linear in the cotangent, or not finite where parts of that are 0; if it gives another gradient
// when some inputs need none; or if it leaves elements of a gradient unwritten, or overwrites a
// gradient that it should add to.
//
// The probes: the same Var for two inputs of one shape; one row, no row, two, twice as many, and as
// many as columns, of the inputs that have as many rows as the first one; one column; inputs 1000
// times as large and as small. A probe reports nothing if the function throws on its inputs, or if
// the value is not finite. So a function that is made for one size must throw at others. The
// function is run on copies, and an exception that it throws becomes a verdict.
GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

// The same for a function of a ragged batch. The rows of the first input are cut into segments in
// several ways: one segment, one row each, unequal lengths, and with empty segments among them.
using SegmentedFunction =
    std::function<Var(Tape&, const std::vector<Var>&, const Segments& segments)>;
GradcheckReport gradcheck(const SegmentedFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
