#include "core/ops/cross_entropy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dims.hpp"
#include "core/errors.hpp"
#include "core/pool_vector.hpp"
#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// log Σ_v exp(x_v), with the largest taken out.
Scalar log_sum_exp(const Scalar* x, Index V, Scalar largest) {
  return largest + std::log(sum_row(
                       V, [m = Lanes(largest)](const Lanes& a) { return xsimd::exp(a - m); }, x));
}

// dx_v = dy (p_v - q_v), in place of the logits.
void backward_row(Scalar* x, Index V, Scalar log_sum, TokenId target, Scalar smoothing, Scalar dy) {
  const Lanes spread(smoothing / static_cast<Scalar>(V));
  map_row(
      V, x,
      [=, l = Lanes(log_sum), d = Lanes(dy)](const Lanes& a) {
        return d * (xsimd::exp(a - l) - spread);
      },
      x);
  x[target] -= dy * (1 - smoothing);
}

}  // namespace

CrossEntropy cross_entropy(const Var& logits, std::span<const TokenId> targets, Scalar smoothing) {
  const auto [N, V] = dims<2>(logits, "cross_entropy.logits");
  if (const auto count = static_cast<Index>(targets.size()); N != count) {
    wrong_shape(fmt::format("cross_entropy.logits for {} targets", count),
                Shape{count, V}.to_string(), logits.shape());
  }
  Tensor log_sums = Tensor::empty({N});
  double loss = 0;
  double negative_log_likelihood = 0;
  Index correct = 0;
  for (Index i = 0; i < N; ++i) {
    const Scalar* x = logits.value().row(i);
    const TokenId target = targets[static_cast<std::size_t>(i)];
    if (target < 0 || target >= V) {
      throw ShapeError(
          fmt::format("cross_entropy.targets: {} is not one of the {} logits", target, V));
    }
    const Scalar largest = max_row(V, x);
    log_sums.data()[i] = log_sum_exp(x, V, largest);
    // -Σ_v q_v (x_v - lse) = lse - (1 - smoothing) x_target - smoothing mean(x)
    const double nll = static_cast<double>(log_sums.data()[i] - x[target]);
    double row_loss = nll;
    if (smoothing > 0) {
      const Scalar mean = sum_row(V, [](const Lanes& a) { return a; }, x) / static_cast<Scalar>(V);
      row_loss += static_cast<double>(smoothing * (x[target] - mean));
    }
    loss += row_loss;
    negative_log_likelihood += nll;
    correct += x[target] == largest && std::find(x, x + target, largest) == x + target ? 1 : 0;
  }
  Var result = logits.tape().record(
      "cross_entropy", {logits}, Tensor::full({1}, static_cast<Scalar>(loss)),
      [x = logits.value(), log_sums, kept = PoolVector<TokenId>(targets.begin(), targets.end()),
       smoothing](Gradients& g) mutable {
        Tensor dx = x.unique() ? std::move(x) : x.copy();
        for (Index i = 0; i < dx.dim(0); ++i) {
          backward_row(dx.row(i), dx.dim(1), log_sums.data()[i], kept[static_cast<std::size_t>(i)],
                       smoothing, g.output().data()[0]);
        }
        g.add(0, std::move(dx));
      });
  return {std::move(result), negative_log_likelihood, correct};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
