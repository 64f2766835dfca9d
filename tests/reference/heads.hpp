// Ops on head vectors by their formulas. Heads are arrays (N, heads, width).
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// Head h is the `width` columns of x that start at first + h step.
inline Array heads_of(const Array& x, Index first, Index step, Index heads, Index width) {
  Array result = xt::empty<double>({static_cast<Index>(x.shape(0)), heads, width});
  for (Index h = 0; h < heads; ++h) {
    const Index begin = first + h * step;
    xt::view(result, xt::all(), h) = xt::view(x, xt::all(), xt::range(begin, begin + width));
  }
  return result;
}

// Heads side by side: (N, heads * width).
inline Array side_by_side(const Array& x) {
  return xt::reshape_view(x, {x.shape(0), x.shape(1) * x.shape(2)});
}

// y_h = x_h W_hᵀ + b_h.  W: (heads, out, in), b: (heads, out)
inline Array head_linear(const Array& x, const Array& W, const Array& b) {
  Array y = xt::empty<double>({x.shape(0), W.shape(0), W.shape(1)});
  for (std::size_t h = 0; h < W.shape(0); ++h) {
    const Array x_h = xt::view(x, xt::all(), h);
    const Array W_h = xt::view(W, h);
    xt::view(y, xt::all(), h) = dot(x_h, transpose(W_h)) + xt::view(b, h);
  }
  return y;
}

// y_h = factor_h x_h.  factors: (heads), or (N, heads)
inline Array scale_heads(const Array& x, const Array& factors) {
  return x * xt::expand_dims(factors, factors.dimension());
}

// y = Σ_h weight_h x_h
inline Array sum_heads(const Array& x, const Array& weights) {
  return xt::sum(scale_heads(x, weights), {1});
}

// y_h = √width x_h / √(|x_h|² + ε)
inline Array normalize_heads(const Array& x, double epsilon) {
  const Array squares = xt::sum(xt::square(x), {2}, xt::keep_dims);
  return std::sqrt(x.shape(2)) * x / xt::sqrt(squares + epsilon);
}

// Rotates the columns c and c + width / 2 by the angle position · base^(-2 c / width) (Su et al.
// 2021, equations 15 and 34). positions: (N)
inline Array rotate_heads(const Array& x, const Array& positions, double base = 10000) {
  const std::size_t half = x.shape(2) / 2;
  const Array c = xt::arange<double>(static_cast<double>(half));
  const Array angles = xt::view(positions, xt::all(), xt::newaxis(), xt::newaxis()) *
                       xt::pow(base, -c / static_cast<double>(half));
  const Array a = xt::view(x, xt::all(), xt::all(), xt::range(0, half));
  const Array b = xt::view(x, xt::all(), xt::all(), xt::range(half, 2 * half));
  const Array turned_a = a * xt::cos(angles) - b * xt::sin(angles);
  const Array turned_b = b * xt::cos(angles) + a * xt::sin(angles);
  return xt::concatenate(xt::xtuple(turned_a, turned_b), 2);
}

// Rotates the columns 2 c and 2 c + 1 instead.
inline Array rotate_interleaved_heads(const Array& x, const Array& positions, double base) {
  using xt::placeholders::_;
  const std::size_t half = x.shape(2) / 2;
  const Array a = xt::view(x, xt::all(), xt::all(), xt::range(0, _, 2));
  const Array b = xt::view(x, xt::all(), xt::all(), xt::range(1, _, 2));
  const Array turned = rotate_heads(xt::concatenate(xt::xtuple(a, b), 2), positions, base);
  Array y = xt::empty<double>(x.shape());
  xt::view(y, xt::all(), xt::all(), xt::range(0, _, 2)) =
      xt::view(turned, xt::all(), xt::all(), xt::range(0, half));
  xt::view(y, xt::all(), xt::all(), xt::range(1, _, 2)) =
      xt::view(turned, xt::all(), xt::all(), xt::range(half, 2 * half));
  return y;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
