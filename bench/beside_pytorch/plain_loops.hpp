// Arithmetic on small tensors in plain loops, for backward passes that are there to be read.
#pragma once

#include <concepts>

#include "core/gradcheck/subject.hpp"
#include "core/ops/linear.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// f of the numbers at each place of tensors of one shape.
template <class Function, std::same_as<Tensor>... Other>
Tensor each(const Function& f, const Tensor& first, const Other&... others) {
  Tensor result = Tensor::empty(first.shape());
  for (Index i = 0; i < first.size(); ++i) {
    result.data()[i] = f(first.data()[i], others.data()[i]...);
  }
  return result;
}

// f(0), f(1), ...
template <class Function>
Tensor vector_of(Index count, const Function& f) {
  Tensor result = Tensor::empty({count});
  for (Index i = 0; i < count; ++i) {
    result.data()[i] = f(i);
  }
  return result;
}

// f(row, column) at each place of a matrix.
template <class Function>
Tensor matrix_of(Index rows, Index columns, const Function& f) {
  Tensor result = Tensor::empty({rows, columns});
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      result.row(i)[j] = f(i, j);
    }
  }
  return result;
}

template <class Function>
Scalar sum_of(Index count, const Function& f) {
  Scalar sum = 0;
  for (Index i = 0; i < count; ++i) {
    sum += f(i);
  }
  return sum;
}

// The mean of each row of a matrix.
inline Tensor row_means(const Tensor& x) {
  const Index D = x.dim(1);
  return vector_of(x.dim(0), [&](Index n) {
    return sum_of(D, [&](Index d) { return x.row(n)[d]; }) / static_cast<Scalar>(D);
  });
}

inline Tensor product(const Tensor& a, const Tensor& b) {
  Tape plain(false);
  return matmul(plain.constant(a), plain.constant(b)).value();
}

inline Tensor transposed(const Tensor& x) {
  Tape plain(false);
  return transpose(plain.constant(x)).value();
}

// Input number `input`, as the checker would draw it.
template <std::convertible_to<Index>... Extent>
Tensor random_input(std::size_t input, Extent... extents) {
  return drawn(random(extents...), input);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
