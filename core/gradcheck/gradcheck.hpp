// The gradient checker: checks whether the backward pass of an op, or of any function of tensors,
// is the derivative of its forward pass. If not, it says what is wrong.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Differences of floats are too coarse to tell a wrong gradient from rounding.
static_assert(std::is_same_v<Scalar, double>,
              "gradient checks need double precision: link this target with tapehead::double");

using GradcheckFunction = std::function<Var(Tape&, const std::vector<Var>&)>;

// A gradient may differ from a slope by relative_tolerance times the larger of the two, plus the
// estimated error of the differences, up to absolute_tolerance times the natural size of a slope.
// The natural size is the slope if the outputs changed by their own size while the input changes by
// its own. So both tolerances follow the scale of inputs and outputs.
struct GradcheckOptions {
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-8;
  std::uint64_t seed = 1;  // of the cotangent
  bool probes = true;      // also run the function on inputs derived from the given ones
};

// Compares dL/dx with differences of L = Σ cotangent ∘ function(inputs) for every element x of
// every input. The cotangent is random; no element is near zero. The function may draw random
// numbers only if every run draws the same ones.
//
// A function is also wrong if it changes its inputs, the cotangent or, in the backward pass, its
// output. Another run, also without recording, must return the same bits. The gradient must be
// linear in the cotangent, finite if parts of the cotangent are 0, and the same if some inputs need
// none. Every element of a gradient must be written, and added to a gradient that is already there.
//
// The probes run the function in other ways: with one Var for two inputs of the same shape; with
// one column; with inputs 1000 times as large and as small; with 0, 1, 2, twice as many rows, or as
// many rows as columns, in all inputs with as many rows as the first input. A probe reports nothing
// if the function throws or its value is not finite, so a function made for one size must throw at
// other sizes. The function runs on copies of the inputs. An exception that it throws becomes a
// verdict.
GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

// gradcheck() for a function of a ragged batch. The rows of the first input are cut into segments
// in several ways: one segment, one row each, unequal lengths, and with empty segments.
using SegmentedFunction =
    std::function<Var(Tape&, const std::vector<Var>&, const Segments& segments)>;
GradcheckReport gradcheck(const SegmentedFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
