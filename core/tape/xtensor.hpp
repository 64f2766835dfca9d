// xtensor's view of our numbers: adapters that own nothing. For sources in core alone: the headers
// are large. No `auto` holds an expression made of them, since expressions refer to their operands.
#pragma once

#include <array>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include "core/tape/tape.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// `count` numbers in a row.
template <class Number>
auto flat(Number* data, Index count) {
  // The cast hands the pointer over by value; of a named pointer xtensor would keep the address.
  return xt::adapt(static_cast<Number*>(data), static_cast<std::size_t>(count), xt::no_ownership(),
                   std::array<std::size_t, 1>{static_cast<std::size_t>(count)});
}

// All numbers of a tensor in a row, whatever its shape.
inline auto flat(Tensor& x) { return flat(x.data(), x.size()); }
inline auto flat(const Tensor& x) { return flat(x.data(), x.size()); }

// `rows` rows of `columns` numbers.
template <class Number>
auto matrix(Number* data, Index rows, Index columns) {
  return xt::adapt(static_cast<Number*>(data), static_cast<std::size_t>(rows * columns),
                   xt::no_ownership(),
                   std::array<std::size_t, 2>{static_cast<std::size_t>(rows),
                                              static_cast<std::size_t>(columns)});
}

inline auto matrix(Tensor& x) { return matrix(x.data(), x.dim(0), x.dim(1)); }
inline auto matrix(const Tensor& x) { return matrix(x.data(), x.dim(0), x.dim(1)); }

// Evaluates a gradient of `count` numbers straight into its place.
template <class Expression>
void put(const GradientTarget& to, Index count, const Expression& gradient) {
  auto place = flat(to.data, count);
  if (to.accumulate) {
    xt::noalias(place) += gradient;
  } else {
    xt::noalias(place) = gradient;
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
