#include "core/ops/softmax.hpp"

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

// y = forward(x) and dx = gradient(y, dy) row by row, where gradient(D, y, dy) gives a function of
// single elements of both.
template <class Forward, class Gradient>
Var by_rows(const char* op, const Var& x, const Forward& forward, const Gradient& gradient) {
  const Index N = x.shape()[0];
  const Index D = x.shape()[1];
  Tensor y = Tensor::empty({N, D});
  for (Index i = 0; i < N && D > 0; ++i) {
    forward(x.value().row(i), D, y.row(i));
  }
  return x.tape().record(op, {x}, y, [y, D, gradient](Gradients& g) {
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i < y.dim(0); ++i) {
      const Scalar* dy = g.output().row(i);
      const auto element = gradient(D, y.row(i), dy);
      Scalar* to = dx + i * D;
      if (accumulate) {
        map_row(
            D, to,
            [&](const Lanes& old, const Lanes& a, const Lanes& d) { return old + element(a, d); },
            to, y.row(i), dy);
      } else {
        map_row(D, to, element, y.row(i), dy);
      }
    }
  });
}

}  // namespace

Var softmax(const Var& x) {
  dims<2>(x, "softmax.x");
  return by_rows("softmax", x, softmax_row, [](Index D, const Scalar* y, const Scalar* dy) {
    // dx = y ∘ (dy - Σ_k y_k dy_k)
    const Lanes mean(dot_row(D, y, dy));
    return [mean](const Lanes& a, const Lanes& d) { return a * (d - mean); };
  });
}

Var log_softmax(const Var& x) {
  dims<2>(x, "log_softmax.x");
  return by_rows(
      "log_softmax", x, log_softmax_row, [](Index D, const Scalar* /*y*/, const Scalar* dy) {
        // dx = dy - exp(y) Σ_k dy_k
        const Lanes sum(sum_row(D, [](const Lanes& a) { return a; }, dy));
        return [sum](const Lanes& a, const Lanes& d) { return d - exp_of_small(a) * sum; };
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
