#include "core/finite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Index first_not_finite(const Tensor& tensor) {
  if (!tensor.has_memory()) {
    return -1;
  }
  // x - x is 0 for every finite x and NaN otherwise, so one sum answers for a whole tensor.
  Scalar doubt = 0;
  for (const Scalar x : tensor.values()) {
    doubt += x - x;
  }
  if (doubt == Scalar{0}) {
    return -1;
  }
  Index i = 0;
  while (std::isfinite(tensor.data()[i])) {
    ++i;
  }
  return i;
}

void expect_finite(const char* op, const char* what, const Tensor& tensor) {
  const Index bad = first_not_finite(tensor);
  if (bad >= 0) {
    throw NumericError(fmt::format("{}: element {} of a {} of shape {} is {}", op, bad, what,
                                   tensor.shape().to_string(), tensor.data()[bad]));
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
