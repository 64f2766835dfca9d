// Integrates a gradient along a path, and compares the result with the change of the function from
// one end to the other. Some outputs are what remains when larger numbers cancel, such as 1 + tanh
// x at x = -18. They take only a few values, so they look like stairs over short steps, and
// differences say nothing about the slope.
#pragma once

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Whether the gradient of an element, integrated along a path, equals the change of L. The path
// begins at the element. One of several lengths suffices, all long enough to show more than
// rounding.
bool gradient_adds_up(const Subject& subject, std::size_t input, Index element);

// The slope in this element if all outputs changed by their own size while the element changes by
// its own. Slopes that are small beside this one may be what remains after cancellation.
double size_of_all(const Subject& subject, const Tensor& output, std::size_t input, Index element);

}}  // namespace tapehead::TAPEHEAD_PRECISION
