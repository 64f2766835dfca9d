// The checks of which a gradient check consists. Each returns what is wrong, or nothing.
#pragma once

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// `first` is a run with variables as inputs, and `rounding` that of its gradients.

// Inputs, cotangent and output keep their bits. Other runs, recorded or not, give the same bits.
std::optional<Finding> check_purity(const Subject& subject, Run& first);

// A parameter's gradient is written if there was none before, whatever its memory held, and added
// if there was one. `arrived` says for each input whether any gradient came.
std::optional<Finding> check_accumulation(const Subject& subject, const Run& first,
                                          const GradientRounding& rounding,
                                          std::vector<bool>& arrived);

// If one input needs no gradient, or only one does, the gradients of the others stay the same.
std::optional<Finding> check_constants(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding);

struct GradientsFound {
  const Run& run;
  const GradientRounding& rounding;
  const std::vector<bool>& arrived;
};

// Compares gradients with finite differences: at most one finding for each input, about its worst
// element. If all seem right, small slopes of single outputs, which larger ones hide, are checked
// too.
std::vector<Finding> check_derivatives(const Subject& subject, const GradientsFound& found);

// A backward pass is linear in the cotangent, also where parts of that are 0, as for rows without a
// label: its results for two parts, each 0 where the other is not, add up to that for both, and a
// multiple gives the multiple.
std::optional<Finding> check_linearity(const Subject& subject, const Run& first,
                                       const GradientRounding& rounding);

// The probes run the function on inputs derived from the given ones. They find nothing if the
// function throws on such inputs, or has no finite value there.

// The same Var for two inputs of one shape: its gradient must be the sum of both.
std::optional<Finding> probe_same_input(const Subject& subject);

// Other sizes, and inputs 1000 times as large and as small: gradients must stay finite where values
// do, and slopes along random directions must be right.
std::optional<Finding> probe_sizes(const Subject& subject);
std::optional<Finding> probe_far_values(const Subject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION
