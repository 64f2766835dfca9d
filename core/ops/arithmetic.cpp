#include "core/ops/arithmetic.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/ops/row_sums.hpp"
#include "core/tape/dims.hpp"
#include "core/tape/xtensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Whether b is one row for all rows of a; throws unless it is that or has the shape of a.
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

// y = a + factor b:  da = dy,  db = factor dy, summed over the rows that b served.
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
        // da = dy ∘ b,  db = dy ∘ a, summed over the rows that b served
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
    // dx = factor dy
    put(g.target(0), factor * flat(g.output()));
  });
}

Var exp(const Var& x) {
  Tensor y = Tensor::empty(x.shape());
  map_row(
      x.value().size(), y.data(), [](const Lanes& a) { return xsimd::exp(a); }, x.value().data());
  return x.tape().record("exp", {x}, y, [y](Gradients& g) {
    // dx = dy ∘ y
    put(g.target(0), flat(g.output()) * flat(y));
  });
}

Var log(const Var& x) {
  Tensor y = Tensor::empty(x.shape());
  map_row(
      x.value().size(), y.data(), [](const Lanes& a) { return xsimd::log(a); }, x.value().data());
  return x.tape().record("log", {x}, std::move(y), [x = x.value()](Gradients& g) {
    // dx = dy / x
    put(g.target(0), flat(g.output()) / flat(x));
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
