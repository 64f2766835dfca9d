// The parts of a gradient check. Each part returns findings, or nothing if the function passes.
#pragma once

#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A run must not change inputs, cotangent or output. Other runs, recorded or not, must give the
// same bits. Sets `first`: a run whose inputs are variables, which the other checks use.
std::optional<Finding> check_purity(const Subject& subject, Run& first);

// A parameter's first gradient must overwrite whatever its memory held; later gradients must be
// added. Sets `arrived` for each input: whether any gradient arrived.
std::optional<Finding> check_accumulation(const CheckedRun& first, std::vector<bool>& arrived);

// A gradient must stay the same if one other input, or every other input, needs no gradient.
std::optional<Finding> check_constants(const CheckedRun& first);

// Compares gradients with finite differences. Returns at most one finding for each input, about its
// worst element. If all seem right, also checks single outputs whose small slopes the sum hides.
std::vector<Finding> check_derivatives(const CheckedRun& first, const std::vector<bool>& arrived);

// A backward pass must be linear in the cotangent, also if parts of the cotangent are 0, as for
// rows without a label. The cotangent is split into two parts, each 0 where the other is not: the
// two results must add up to the whole result. A multiple of the cotangent must give the multiple.
std::optional<Finding> check_linearity(const CheckedRun& first);

// The probes run the function on inputs derived from the given ones. They report nothing if the
// function throws on such inputs or its value is not finite.

// Passes the same Var as two inputs of one shape: its gradient must be the sum of both gradients.
std::optional<Finding> probe_same_input(const Subject& subject);

// Other sizes, and inputs 1000 times as large or as small. Gradients must be finite where the
// values are, and slopes along random directions must be right.
std::optional<Finding> probe_sizes(const Subject& subject);
std::optional<Finding> probe_far_values(const Subject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION
