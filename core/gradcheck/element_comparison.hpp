// Compares a gradient with finite differences, element by element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/differences.hpp"
#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/hidden_outputs.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// `hidden` records each element.
Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Run& run, const GradientRounding& rounding, HiddenOutputs& hidden);

// The differing element that is furthest off, in multiples of its tolerance. An element that is not
// finite comes first. -1: none differs.
Index worst_of(const Comparison& comparison, const GradcheckOptions& options);

// The same among elements that are wrong for sure: a kink at another element does not excuse them.
Index worst_sure(const Comparison& comparison, const GradcheckOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
