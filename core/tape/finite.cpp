#include "core/tape/finite.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Index first_not_finite(const Tensor& tensor) {
  if (!tensor.has_memory()) {
    return -1;
  }
  // x - x is 0 for every finite x and NaN otherwise, so one sum checks a whole tensor.
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

Range range_of(std::string what, const Tensor& tensor) {
  Range range{.what = std::move(what), .shape = tensor.shape()};
  bool any = false;
  for (const Scalar x : tensor.has_memory() ? tensor.values() : std::span<const Scalar>()) {
    if (!std::isfinite(x)) {
      ++range.not_finite;
      continue;
    }
    const auto number = static_cast<double>(x);
    range.least = any ? std::min(range.least, number) : number;
    range.most = any ? std::max(range.most, number) : number;
    any = true;
  }
  return range;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
