#include "core/ops/softmax.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Subtracting the largest number first changes no result, and no exponential overflows.
void softmax_row(const Scalar* x, Index D, Scalar* y) {
  map_row(D, y, [m = Lanes(max_row(D, x))](const Lanes& a) { return exp_of_small(a - m); }, x);
  const Scalar sum = total_row(D, y);
  map_row(D, y, [f = Lanes(1 / sum)](const Lanes& a) { return a * f; }, y);
}

void log_softmax_row(const Scalar* x, Index D, Scalar* y) {
  const Lanes m(max_row(D, x));
  const Lanes l(std::log(sum_row(D, [m](auto a) { return exp_of_small(a - m); }, x)));
  map_row(D, y, [m, l](auto a) { return a - m - l; }, x);
}

// y = forward(x) and dx = gradient(D, y, dy)(y, dy), row by row and element by element.
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
      put_row(D, {dx + i * D, accumulate}, element, y.row(i), dy);
    }
  });
}

}  // namespace

Var softmax(const Var& x) {
  dims<2>(x, "softmax.x");
  return by_rows("softmax", x, softmax_row, [](Index D, const Scalar* y, const Scalar* dy) {
    const Lanes mean(dot_row(D, y, dy));  // dx = y ∘ (dy - Σ_k y_k dy_k)
    return [mean](const Lanes& a, const Lanes& d) { return a * (d - mean); };
  });
}

Var log_softmax(const Var& x) {
  dims<2>(x, "log_softmax.x");
  return by_rows(
      "log_softmax", x, log_softmax_row, [](Index D, const Scalar* /*y*/, const Scalar* dy) {
        const Lanes sum(total_row(D, dy));  // dx = dy - exp(y) Σ_k dy_k
        return [sum](const Lanes& a, const Lanes& d) { return d - exp_of_small(a) * sum; };
      });
}

namespace {

void expect_tokens(std::span<const TokenId> targets, Index N, Index V, const Shape& logits) {
  if (const auto count = static_cast<Index>(targets.size()); N != count) {
    wrong_shape(fmt::format("cross_entropy.logits for {} targets", count),
                Shape{count, V}.to_string(), logits);
  }
  for (const TokenId target : targets) {
    if (target < 0 || target >= V) {
      throw ShapeError("cross_entropy.targets: {} is not one of the {} logits", target, V);
    }
  }
}

// What a row contributes to the loss and to the reported numbers.
struct RowLoss {
  double loss;
  double negative_log_likelihood;
  bool correct;
};

// -Σ_v q_v (x_v - lse) = lse - (1 - smoothing) x_target - smoothing mean(x) with lse = log Σ_v
// exp(x_v). The largest x is subtracted before the exponential. If `learns`, x becomes p - q.
RowLoss take_row(Scalar* x, Index V, TokenId target, Scalar smoothing, bool learns) {
  const Scalar largest = max_row(V, x);
  const Scalar of_target = x[target];
  const bool correct = of_target == largest && std::find(x, x + target, largest) == x + target;
  const auto over = 1 / static_cast<Scalar>(V);
  const Scalar mean = smoothing > 0 ? over * total_row(V, x) : Scalar{0};
  const auto power = [m = Lanes(largest)](const Lanes& a) { return exp_of_small(a - m); };
  const Scalar sum =
      learns ? map_and_sum_terms(V, x, power, std::identity(), x) : sum_row(V, power, x);
  if (learns) {
    const auto gradient = [f = Lanes(1 / sum), q = Lanes(smoothing * over)](auto a) {
      return f * a - q;
    };
    map_row(V, x, gradient, x);
    x[target] -= 1 - smoothing;
  }
  const auto nll = static_cast<double>(largest + std::log(sum) - of_target);
  return {nll + static_cast<double>(smoothing * (of_target - mean)), nll, correct};
}

}  // namespace

CrossEntropy cross_entropy(Var logits, std::span<const TokenId> targets, Scalar smoothing) {
  const auto [N, V] = dims<2>(logits, "cross_entropy.logits");
  expect_tokens(targets, N, V, logits.shape());
  const bool learns = logits.needs_gradient();
  Tensor x = learns && !logits.value().unique() ? logits.value().copy() : logits.value();
  double loss = 0;
  double negative_log_likelihood = 0;
  Index correct = 0;
  PoolVector<double> by_row;
  by_row.reserve(targets.size());
  for (Index i = 0; i < N; ++i) {
    const RowLoss row =
        take_row(x.row(i), V, targets[static_cast<std::size_t>(i)], smoothing, learns);
    loss += row.loss;
    negative_log_likelihood += row.negative_log_likelihood;
    correct += row.correct ? 1 : 0;
    by_row.push_back(row.negative_log_likelihood);
  }
  Var result = logits.tape().record("cross_entropy", {std::move(logits)},
                                    Tensor::full({1}, static_cast<Scalar>(loss)),
                                    [dx = std::move(x)](Gradients& g) mutable {
                                      if (const Scalar dy = g.output().data()[0]; dy != Scalar{1}) {
                                        scale_row(dx.size(), dy, dx.data(), dx.data());
                                      }
                                      g.add(0, std::move(dx));
                                    });
  return {std::move(result), negative_log_likelihood, correct, std::move(by_row)};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
