#include "bench/beside_pytorch/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "bench/beside_pytorch/plain_loops.hpp"
#include "core/ops/softmax.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Tensor softmax_of(const Tensor& x) {
  Tape plain(false);
  return softmax(plain.constant(x)).value();
}

// Σ_d a_nd b_nd for each row n
Tensor row_dots(const Tensor& a, const Tensor& b) {
  return vector_of(a.dim(0), [&](Index n) {
    return sum_of(a.dim(1), [&](Index d) { return a.row(n)[d] * b.row(n)[d]; });
  });
}

// x_nd - row_n
Tensor minus_rows(const Tensor& x, const Tensor& row) {
  return matrix_of(x.dim(0), x.dim(1),
                   [&](Index n, Index d) { return x.row(n)[d] - row.data()[n]; });
}

// 1 / √(mean(x²) + 1e-5) for each row
Tensor inverse_deviations(const Tensor& centred) {
  const auto D = static_cast<Scalar>(centred.dim(1));
  return each([D](Scalar squares) { return 1 / std::sqrt(squares / D + 1e-5); },
              row_dots(centred, centred));
}

Tensor scores_of(const Tensor& query, const Tensor& key) {
  const Scalar scale = 1 / std::sqrt(static_cast<Scalar>(query.dim(1)));
  return each([scale](Scalar s) { return scale * s; }, product(query, transposed(key)));
}

// exp(score) / Σ exp(scores), with the sum over the columns 0 ... n that row n sees; masked, 0 in
// the others.
Tensor weights_of(const Tensor& scores, bool masked) {
  const Tensor sums = vector_of(scores.dim(0), [&](Index n) {
    return sum_of(std::min(n + 1, scores.dim(1)),
                  [&](Index m) { return std::exp(scores.row(n)[m]); });
  });
  return matrix_of(scores.dim(0), scores.dim(1), [&](Index n, Index m) {
    return masked && m > n ? 0 : std::exp(scores.row(n)[m]) / sums.data()[n];
  });
}

}  // namespace

GradcheckFunction softmax_with(Backward backward) {
  return [backward](Tape& tape, const std::vector<Var>& x) {
    const Tensor y = softmax_of(x[0].value());
    return tape.record("softmax", x, y, [y, backward](Gradients& g) {
      // dx = y ∘ (dy - Σ_k y_k dy_k)
      const Tensor& dy = g.output();
      const Tensor inner = backward == Backward::right ? minus_rows(dy, row_dots(y, dy)) : dy;
      g.add(0, each(std::multiplies<>(), y, inner));
    });
  };
}

GradcheckFunction normalize_with(Backward backward) {
  return [backward](Tape& tape, const std::vector<Var>& x) {
    const Tensor centred = minus_rows(x[0].value(), row_means(x[0].value()));
    const Tensor inverse = inverse_deviations(centred);
    const Tensor y = matrix_of(centred.dim(0), centred.dim(1), [&](Index n, Index d) {
      return centred.row(n)[d] * inverse.data()[n];
    });
    return tape.record("normalize", x, y, [y, inverse, backward](Gradients& g) {
      // dx = (dy - mean(dy) - y mean(dy ∘ y)) / σ
      const Tensor inner = minus_rows(g.output(), row_means(g.output()));
      const Tensor along = row_means(each(std::multiplies<>(), g.output(), y));
      const Scalar factor = backward == Backward::right ? 1 : 0;
      g.add(0, matrix_of(y.dim(0), y.dim(1), [&](Index n, Index d) {
              return (inner.row(n)[d] - factor * y.row(n)[d] * along.data()[n]) * inverse.data()[n];
            }));
    });
  };
}

GradcheckFunction gelu_with(Backward backward) {
  return [backward](Tape& tape, const std::vector<Var>& x) {
    constexpr Scalar c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    constexpr Scalar k = 0.044715;
    const auto inner = [](Scalar a) { return std::tanh(c * (a + k * a * a * a)); };
    Tensor y = each([&](Scalar a) { return a * (1 + inner(a)) / 2; }, x[0].value());
    return tape.record("gelu", x, std::move(y), [x = x[0].value(), inner, backward](Gradients& g) {
      // dx = dy ((1 + t) / 2 + x (1 - t²) c (1 + 3 k x²) / 2), t = tanh(c (x + k x³))
      const Scalar power = backward == Backward::right ? 3 : 1;
      const auto slope = [&](Scalar a, Scalar d) {
        const Scalar t = inner(a);
        return d * (1 + t + a * (1 - t * t) * c * (1 + power * k * a * a)) / 2;
      };
      g.add(0, each(slope, x, g.output()));
    });
  };
}

GradcheckFunction causal_attention_with(Backward backward) {
  return [backward](Tape& tape, const std::vector<Var>& inputs) {
    const Tensor query = inputs[0].value();
    const Tensor key = inputs[1].value();
    const Tensor value = inputs[2].value();
    const Tensor y = product(weights_of(scores_of(query, key), true), value);
    return tape.record("attention", inputs, y, [query, key, value, y, backward](Gradients& g) {
      // P: the weights.  dv = Pᵀ dy,  ds = P ∘ (dy vᵀ - Σ_d dy_d y_d) / √d,  dq = ds k,  dk = dsᵀ q
      const Tensor weights = weights_of(scores_of(query, key), backward == Backward::right);
      const Scalar scale = 1 / std::sqrt(static_cast<Scalar>(query.dim(1)));
      const Tensor dweights =
          minus_rows(product(g.output(), transposed(value)), row_dots(g.output(), y));
      const Tensor dscores =
          each([scale](Scalar p, Scalar d) { return scale * p * d; }, weights, dweights);
      g.add(0, product(dscores, key));
      g.add(1, product(transposed(dscores), query));
      g.add(2, product(transposed(weights), g.output()));
    });
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
