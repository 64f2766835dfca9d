#include "core/ops/arithmetic.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/ops/row_parts.hpp"
#include "core/tape/xtensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Whether b is one row for all rows of a. Throws unless b is one row or has the shape of a.
bool is_row_for(const Var& a, const Var& b, const char* op) {
  if (b.shape() == a.shape()) {
    return false;
  }
  const bool matrix = a.shape().rank() == 2;
  if (matrix && b.shape() == Shape{a.shape()[1]}) {
    return true;
  }
  const std::string same = a.shape().to_string();
  wrong_shape(fmt::format("{}.b for a {}", op, same),
              matrix ? fmt::format("{} or ({})", same, a.shape()[1]) : same, b.shape());
}

// y = a + factor b:  da = dy,  db = factor dy. If b is one row, db is summed over the rows.
Var plus_multiple(const char* op, const Var& a, const Var& b, Scalar factor) {
  const bool row = is_row_for(a, b, op);
  Tensor y = Tensor::empty(a.shape());
  if (row) {
    xt::noalias(view<2>(y)) = view<2>(a) + factor * flat(b.value());
  } else {
    xt::noalias(flat(y)) = flat(a.value()) + factor * flat(b.value());
  }
  return a.tape().record(op, {a, b}, std::move(y), [row, factor](Gradients& g) {
    Tensor dy = g.take_output();
    if (row && g.needs(1)) {
      Scalar* db = g.sum(1);
      for (Index i = 0; i < dy.dim(0); ++i) {
        add_multiple(dy.dim(1), factor, dy.row(i), db);
      }
    } else if (factor == Scalar{1}) {
      g.add(1, dy);
    } else if (g.needs(1)) {
      put(g.target(1), factor * flat(std::as_const(dy)));
    }
    g.add(0, std::move(dy));
  });
}

}  // namespace

Var add(const Var& a, const Var& b) { return plus_multiple("add", a, b, 1); }

Var subtract(const Var& a, const Var& b) { return plus_multiple("subtract", a, b, -1); }

Var multiply(const Var& a, const Var& b) {
  const bool row = is_row_for(a, b, "multiply");
  Tensor y = Tensor::empty(a.shape());
  if (row) {
    xt::noalias(view<2>(y)) = view<2>(a) * flat(b.value());
  } else {
    xt::noalias(flat(y)) = flat(a.value()) * flat(b.value());
  }
  return a.tape().record(
      "multiply", {a, b}, std::move(y), [row, a = a.value(), b = b.value()](Gradients& g) {
        // da = dy ∘ b,  db = dy ∘ a. If b is one row, db is summed over the rows.
        const Tensor& dy = g.output();
        if (g.needs(0) && row) {
          const GradientTarget da = g.target(0);
          for (Index i = 0; i < dy.dim(0); ++i) {
            put({da.data + i * b.size(), da.accumulate}, flat(dy.row(i), b.size()) * flat(b));
          }
        } else if (g.needs(0)) {
          put(g.target(0), flat(dy) * flat(b));
        }
        if (g.needs(1) && row) {
          Scalar* db = g.sum(1);
          for (Index i = 0; i < dy.dim(0); ++i) {
            add_product(b.size(), dy.row(i), a.row(i), db);
          }
        } else if (g.needs(1)) {
          put(g.target(1), flat(dy) * flat(a));
        }
      });
}

Var scale(const Var& x, Scalar factor) {
  Tensor y = Tensor::empty(x.shape());
  xt::noalias(flat(y)) = factor * flat(x.value());
  return x.tape().record("scale", {x}, std::move(y), [factor](Gradients& g) {
    put(g.target(0), factor * flat(g.output()));  // dx = factor dy
  });
}

Var exp(const Var& x) {
  Tensor y = Tensor::empty(x.shape());
  map_row(y.size(), y.data(), [](auto a) { return xsimd::exp(a); }, x.value().data());
  return x.tape().record("exp", {x}, y, [y](Gradients& g) {
    put(g.target(0), flat(g.output()) * flat(y));  // dx = dy ∘ y
  });
}

Var log(const Var& x) {
  Tensor y = Tensor::empty(x.shape());
  map_row(y.size(), y.data(), [](auto a) { return xsimd::log(a); }, x.value().data());
  return x.tape().record("log", {x}, std::move(y), [x = x.value()](Gradients& g) {
    put(g.target(0), flat(g.output()) / flat(x));  // dx = dy / x
  });
}

namespace {

// 1 / count, for a mean of `count` numbers.
Scalar share(const Shape& shape, Index count) {
  if (count == 0) {
    wrong_shape("mean.x", "at least one number", shape);
  }
  return 1 / static_cast<Scalar>(count);
}

// y = factor Σ x:  dx = factor dy.
Var reduce_all(const char* op, const Var& x, Scalar factor) {
  // Sums in blocks, so that rounding errors grow with the number of blocks instead of elements.
  constexpr Index piece = 1024;
  const Index n = x.value().size();
  Scalar sum = 0;
  for (Index i = 0; i < n; i += piece) {
    sum += total_row(std::min(piece, n - i), x.value().data() + i);
  }
  return x.tape().record(op, {x}, Tensor::full({1}, factor * sum), [n, factor](Gradients& g) {
    put_row(n, g.target(0), [dx = Lanes(factor * g.output().data()[0])] { return dx; });
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
    y.data()[i] = factor * total_row(D, x.value().row(i));
  }
  return x.tape().record(op, {x}, std::move(y), [D, factor](Gradients& g) {
    const Tensor& dy = g.output();
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i < dy.size(); ++i) {
      put_row(D, {dx + i * D, accumulate}, [d = Lanes(factor * dy.data()[i])] { return d; });
    }
  });
}

Var reduce(const char* op, const Var& x, Index axis, bool mean) {
  if (x.shape().rank() != 2) {
    wrong_shape(fmt::format("{}.x over an axis", op), "two axes", x.shape());
  }
  if (axis != 0 && axis != 1) {
    throw ShapeError("{}.axis: expected 0 or 1 for the axes of x {}, got {}", op,
                     x.shape().to_string(), axis);
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
