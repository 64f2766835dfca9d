// The look for values that are not finite.
#pragma once

#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The first element that is infinite or NaN, or -1.
Index first_not_finite(const Tensor& tensor);

// Throws NumericError with the op's name, what is bad in it ("value", "gradient"), the element's
// index and the shape.
void expect_finite(const char* op, const char* what, const Tensor& tensor);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
