// Searches for values that are not finite.
#pragma once

#include <string>

#include "core/tape/anomaly.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The first element that is infinite or NaN, or -1.
Index first_not_finite(const Tensor& tensor);

// The range of the tensor's finite numbers, under the name `what`.
Range range_of(std::string what, const Tensor& tensor);

}}  // namespace tapehead::TAPEHEAD_PRECISION
