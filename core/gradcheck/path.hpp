// A gradient along a path beside what the function changes by from its one end to the other. Where
// an output is what is left when larger numbers cancel, as 1 + tanh x at x = -18, it takes few
// values: differences over short steps see a flight of stairs, and tell nothing of the slope.
#pragma once

#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Whether the gradient of an element adds up to the change of L, over a path that begins at the
// element: one of several lengths, which shows more than the rounding.
bool gradient_adds_up(const Subject& subject, std::size_t input, Index element);

// What a slope in this element would be if all the outputs changed by as much as they are while it
// does: beside larger slopes, smaller ones may be left of what cancels.
double size_of_all(const Subject& subject, const Tensor& output, std::size_t input, Index element);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
