#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Tensor Tensor::empty(const Shape& shape) {
  Tensor result;
  result.shape_ = shape;
  result.buffer_ = Buffer(static_cast<std::size_t>(shape.size()) * sizeof(Scalar));
  result.data_ = reinterpret_cast<Scalar*>(result.buffer_.data());
  return result;
}

Tensor Tensor::full(const Shape& shape, Scalar value) {
  Tensor result = empty(shape);
  std::ranges::fill(result.values(), value);
  return result;
}

Tensor Tensor::of(const Shape& shape, std::span<const Scalar> values) {
  if (static_cast<Index>(values.size()) != shape.size()) {
    throw ShapeError("Tensor::of: {} values do not fill shape {}", values.size(),
                     shape.to_string());
  }
  Tensor result = empty(shape);
  std::ranges::copy(values, result.data_);
  return result;
}

Tensor Tensor::part(Index first_element, const Shape& shape) const {
  if (first_element < 0 || first_element + shape.size() > size()) {
    throw ShapeError("part: shape {}, starting at element {}, does not fit in shape {}",
                     shape.to_string(), first_element, shape_.to_string());
  }
  Tensor result = *this;
  result.data_ += first_element;
  result.shape_ = shape;
  return result;
}

Tensor Tensor::copy() const { return has_memory() ? of(shape_, values()) : Tensor(); }

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
  const auto bad = [](Scalar x) { return !std::isfinite(x); };
  return std::ranges::find_if(tensor.values(), bad) - tensor.values().begin();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
