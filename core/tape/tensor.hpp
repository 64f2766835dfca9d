// Tensor: a handle to row-major numbers in pool memory. Copies share the memory, which must be
// written before other code reads it.
#pragma once

#include "core/memory/pool.hpp"
#include "core/scalar.hpp"
#include "core/shape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class Tensor {
 public:
  Tensor() = default;  // shape (), and no memory: holds no number

  static Tensor empty(const Shape& shape);  // values undefined: the caller writes them
  static Tensor full(const Shape& shape, Scalar value);
  static Tensor zeros(const Shape& shape) { return full(shape, Scalar{0}); }
  static Tensor of(const Shape& shape, std::span<const Scalar> values);  // throws ShapeError
  static Tensor of(const Shape& shape, std::initializer_list<Scalar> values) {
    return of(shape, std::span(values.begin(), values.size()));
  }

  const Shape& shape() const { return shape_; }
  Index dim(Index axis) const { return shape_[axis]; }
  Index size() const { return shape_.size(); }
  bool has_memory() const { return data_ != nullptr; }

  Scalar* data() { return data_; }
  const Scalar* data() const { return data_; }
  Scalar* row(Index i) { return data_ + i * shape_[1]; }
  const Scalar* row(Index i) const { return data_ + i * shape_[1]; }
  std::span<Scalar> values() { return {data_, static_cast<std::size_t>(size())}; }
  std::span<const Scalar> values() const { return {data_, static_cast<std::size_t>(size())}; }

  // A view of consecutive elements, which shares this tensor's memory. Throws ShapeError.
  Tensor part(Index first_element, const Shape& shape) const;

  Tensor copy() const;
  bool unique() const { return buffer_.unique(); }  // no other tensor shares the memory

 private:
  Buffer buffer_;
  Scalar* data_ = nullptr;
  Shape shape_;
};

// The index of the first element that is infinite or NaN; -1: none.
Index first_not_finite(const Tensor& tensor);

}}  // namespace tapehead::TAPEHEAD_PRECISION
