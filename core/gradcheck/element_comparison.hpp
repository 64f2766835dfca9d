// A gradient beside differences, element by element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/differences.hpp"
#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/hidden_outputs.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// `hidden` gets to see each element.
Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Run& run, const GradientRounding& rounding, HiddenOutputs& hidden);

// The differing element that is furthest away, in multiples of what is tolerated; one that is not
// finite before all others. -1: none differs.
Index worst_of(const Comparison& comparison, const GradcheckOptions& options);

// The same of those that can be told for sure: a kink elsewhere excuses nothing.
Index worst_sure(const Comparison& comparison, const GradcheckOptions& options);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
