#include "core/ops/softmax.hpp"

#include <cmath>

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The largest number of a row is subtracted first, so that no exponential overflows. The result
// does not depend on it.
void softmax_row(const Scalar* x, Index D, Scalar* y) {
  map_row(D, y, [m = Lanes(max_row(D, x))](const Lanes& a) { return exp_of_small(a - m); }, x);
  const Scalar sum = sum_row(D, [](const Lanes& a) { return a; }, y);
  map_row(D, y, [f = Lanes(1 / sum)](const Lanes& a) { return a * f; }, y);
}

void log_softmax_row(const Scalar* x, Index D, Scalar* y) {
  const Scalar most = max_row(D, x);
  const Scalar sum =
      sum_row(D, [m = Lanes(most)](const Lanes& a) { return exp_of_small(a - m); }, x);
  map_row(
      D, y, [m = Lanes(most), l = Lanes(std::log(sum))](const Lanes& a) { return a - m - l; }, x);
}

// dx_n = gradient(y_n, dy_n), element by element
template <class Function>
void put_row(Scalar* dx, bool accumulate, Index D, const Function& gradient, const Scalar* y,
             const Scalar* dy) {
  if (accumulate) {
    map_row(
        D, dx,
        [&](const Lanes& old, const Lanes& a, const Lanes& d) { return old + gradient(a, d); }, dx,
        y, dy);
  } else {
    map_row(D, dx, gradient, y, dy);
  }
}

}  // namespace

Var softmax(const Var& x) {
  const auto [N, D] = dims<2>(x, "softmax.x");
  Tensor y = Tensor::empty({N, D});
  for (Index i = 0; i < N && D > 0; ++i) {
    softmax_row(x.value().row(i), D, y.row(i));
  }
  return x.tape().record("softmax", {x}, y, [y](Gradients& g) {
    // dx = y ∘ (dy - Σ_k y_k dy_k)
    const auto times = [](const Lanes& a, const Lanes& b) { return a * b; };
    const Index columns = y.dim(1);
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i < y.dim(0); ++i) {
      const Scalar* dy = g.output().row(i);
      const Lanes mean(sum_row(columns, times, y.row(i), dy));
      const auto gradient = [&mean](const Lanes& a, const Lanes& d) { return a * (d - mean); };
      put_row(dx + i * columns, accumulate, columns, gradient, y.row(i), dy);
    }
  });
}

Var log_softmax(const Var& x) {
  const auto [N, D] = dims<2>(x, "log_softmax.x");
  Tensor y = Tensor::empty({N, D});
  for (Index i = 0; i < N && D > 0; ++i) {
    log_softmax_row(x.value().row(i), D, y.row(i));
  }
  return x.tape().record("log_softmax", {x}, y, [y](Gradients& g) {
    // dx = dy - exp(y) Σ_k dy_k
    const auto itself = [](const Lanes& a) { return a; };
    const Index columns = y.dim(1);
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i < y.dim(0); ++i) {
      const Scalar* dy = g.output().row(i);
      const Lanes sum(sum_row(columns, itself, dy));
      const auto gradient = [&sum](const Lanes& a, const Lanes& d) {
        return d - exp_of_small(a) * sum;
      };
      put_row(dx + i * columns, accumulate, columns, gradient, y.row(i), dy);
    }
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
