#include "core/ops/heads/head_norm.hpp"

#include <cmath>

#include "core/kernel/rows.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// dx += r (dy - y (y · dy) / width) with r = √width / sqrt(|x|² + epsilon)
void add_gradient(Index width, Scalar factor, const Scalar* y, const Scalar* dy, Scalar* dx) {
  const Lanes along(dot_row(width, y, dy) / static_cast<Scalar>(width));
  map_row(
      width, dx,
      [along, r = Lanes(factor)](const Lanes& a, const Lanes& b, const Lanes& c) {
        return c + r * (b - a * along);
      },
      y, dy, dx);
}

}  // namespace

Var normalize_heads(const HeadColumns& columns, Index heads, Index width, Scalar epsilon) {
  const Index N = dims<2>(columns.matrix, "normalize_heads.x")[0];
  expect_heads(columns, N, heads, width, "normalize_heads.x");
  HeadMatrix x(columns, width);
  Tensor y = Tensor::empty({N, heads * width});
  Tensor factors = Tensor::empty({N, heads});
  for (Index i = 0; i < N; ++i) {
    for (Index h = 0; h < heads; ++h) {
      const Scalar* from = x.at(i, h);
      const Scalar factor =
          std::sqrt(static_cast<Scalar>(width) / (dot_row(width, from, from) + epsilon));
      factors.row(i)[h] = factor;
      map_row(
          width, y.row(i) + h * width, [r = Lanes(factor)](const Lanes& a) { return r * a; }, from);
    }
  }
  return columns.matrix.tape().record(
      "normalize_heads", {columns.matrix}, y,
      [x = std::move(x), y, factors = std::move(factors), heads, width](Gradients& g) {
        const HeadGradient dx(g, 0, x);
        for (Index i = 0; i < x.rows(); ++i) {
          for (Index h = 0; h < heads; ++h) {
            add_gradient(width, factors.row(i)[h], y.row(i) + h * width,
                         g.output().row(i) + h * width, dx.at(i, h));
          }
        }
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
