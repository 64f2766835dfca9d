#include "core/ops/reduce.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/ops/row_sums.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Scalar total(const Scalar* x, Index n) {
  return sum_row(n, [](const Lanes& a) { return a; }, x);
}

// 1 / count, for a mean of `count` numbers.
Scalar share(const Shape& shape, Index count) {
  if (count == 0) {
    wrong_shape("mean.x", "something to take the mean of", shape);
  }
  return 1 / static_cast<Scalar>(count);
}

// The same gradient for each of n numbers.
void spread(const GradientTarget& to, Index n, Scalar gradient) {
  if (to.accumulate) {
    map_row(n, to.data, [d = Lanes(gradient)](const Lanes& a) { return a + d; }, to.data);
  } else {
    std::fill_n(to.data, n, gradient);
  }
}

// y = factor Σ x:  dx = factor dy.
Var reduce_all(const char* op, const Var& x, Scalar factor) {
  // In blocks, so that rounding errors grow with the number of blocks instead of the number of
  // elements.
  constexpr Index piece = 1024;
  const Index n = x.value().size();
  Scalar sum = 0;
  for (Index i = 0; i < n; i += piece) {
    sum += total(x.value().data() + i, std::min(piece, n - i));
  }
  return x.tape().record(op, {x}, Tensor::full({1}, factor * sum), [n, factor](Gradients& g) {
    spread(g.target(0), n, factor * g.output().data()[0]);
  });
}

// y = factor Σ_n x:  dx_n = factor dy.
Var reduce_rows(const char* op, const Var& x, Scalar factor) {
  const Index N = x.shape()[0];
  const Index D = x.shape()[1];
  Tensor y = Tensor::zeros({D});
  for (Index i = 0; i < N; ++i) {
    add_multiple(D, factor, x.value().row(i), y.data());
  }
  return x.tape().record(op, {x}, std::move(y), [N, factor](Gradients& g) {
    const Tensor& dy = g.output();
    Scalar* dx = g.sum(0);
    for (Index i = 0; i < N; ++i) {
      add_multiple(dy.size(), factor, dy.data(), dx + i * dy.size());
    }
  });
}

// y_n = factor Σ_d x_nd:  dx_nd = factor dy_n.
Var reduce_columns(const char* op, const Var& x, Scalar factor) {
  const Index N = x.shape()[0];
  const Index D = x.shape()[1];
  Tensor y = Tensor::empty({N});
  for (Index i = 0; i < N; ++i) {
    y.data()[i] = factor * total(x.value().row(i), D);
  }
  return x.tape().record(op, {x}, std::move(y), [D, factor](Gradients& g) {
    const Tensor& dy = g.output();
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i < dy.size(); ++i) {
      spread({dx + i * D, accumulate}, D, factor * dy.data()[i]);
    }
  });
}

Var reduce(const char* op, const Var& x, Index axis, bool mean) {
  if (x.shape().rank() != 2) {
    wrong_shape(fmt::format("{}.x over an axis", op), "two axes", x.shape());
  }
  if (axis != 0 && axis != 1) {
    throw ShapeError(fmt::format("{}.axis: expected 0 or 1 for the axes of x {}, got {}", op,
                                 x.shape().to_string(), axis));
  }
  const Scalar factor = mean ? share(x.shape(), x.shape()[axis]) : 1;
  return axis == 0 ? reduce_rows(op, x, factor) : reduce_columns(op, x, factor);
}

}  // namespace

Var sum(const Var& x) { return reduce_all("sum", x, 1); }

Var mean(const Var& x) { return reduce_all("mean", x, share(x.shape(), x.value().size())); }

Var sum(const Var& x, Index axis) { return reduce("sum", x, axis, false); }

Var mean(const Var& x, Index axis) { return reduce("mean", x, axis, true); }

}}  // namespace tapehead::TAPEHEAD_PRECISION
