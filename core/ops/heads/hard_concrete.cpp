#include "core/ops/heads/hard_concrete.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Scalar low = Scalar(-0.1);                   // γ
constexpr Scalar high = Scalar(1.1);                   // ζ
constexpr Scalar temperature = Scalar(2) / Scalar(3);  // β

Scalar logistic(Scalar x) { return 1 / (1 + std::exp(-x)); }

// log u - log(1 - u), where u is in the middle of the interval of a draw, so never 0 or 1.
Scalar draw_noise(const Draws& draws, Index gate) {
  const double u = draw_uniform(draws, static_cast<std::uint64_t>(gate)) + 0x1.0p-54;
  return static_cast<Scalar>(std::log(u) - std::log1p(-u));
}

// z = min(1, max(0, (ζ - γ) σ(factor (log_alpha + noise)) + γ))
Var gates(const char* op, const Var& log_alpha, Scalar factor, const auto& noise) {
  const Index H = log_alpha.shape()[0];
  Tensor z = Tensor::empty({H});
  Tensor slopes = Tensor::empty({H});
  for (Index h = 0; h < H; ++h) {
    const Scalar s = logistic(factor * (log_alpha.value().data()[h] + noise(h)));
    const Scalar stretched = (high - low) * s + low;
    const bool between = stretched > 0 && stretched < 1;
    z.data()[h] = std::clamp(stretched, Scalar{0}, Scalar{1});
    slopes.data()[h] = between ? factor * (high - low) * s * (1 - s) : 0;
  }
  return log_alpha.tape().record(
      op, {log_alpha}, std::move(z), [slopes = std::move(slopes)](Gradients& g) {
        // dlog_alpha = dz (ζ - γ) factor s (1 - s) where 0 < z < 1, else 0
        Tensor gradient = Tensor::empty(slopes.shape());
        std::transform(slopes.data(), slopes.data() + slopes.size(), g.output().data(),
                       gradient.data(), std::multiplies<>());
        g.add(0, std::move(gradient));
      });
}

}  // namespace

Var draw_gates(const Var& log_alpha, const Draws& draws) {
  dims<1>(log_alpha, "draw_gates.log_alpha");
  return gates("draw_gates", log_alpha, 1 / temperature,
               [&draws](Index gate) { return draw_noise(draws, gate); });
}

Var settled_gates(const Var& log_alpha) {
  dims<1>(log_alpha, "settled_gates.log_alpha");
  return gates("settled_gates", log_alpha, 1, [](Index /*gate*/) { return Scalar{0}; });
}

Var open_gates(const Var& log_alpha) {
  const auto [H] = dims<1>(log_alpha, "open_gates.log_alpha");
  const Scalar shift = temperature * std::log(-low / high);
  Tensor slopes = Tensor::empty({H});
  Scalar open = 0;
  for (Index h = 0; h < H; ++h) {
    const Scalar p = logistic(log_alpha.value().data()[h] - shift);
    open += p;
    slopes.data()[h] = p * (1 - p);
  }
  return log_alpha.tape().record(
      "open_gates", {log_alpha}, Tensor::full({1}, open),
      [slopes = std::move(slopes)](Gradients& g) {
        // dlog_alpha = dy p (1 - p)
        Tensor gradient = Tensor::empty(slopes.shape());
        std::transform(slopes.data(), slopes.data() + slopes.size(), gradient.data(),
                       [dy = g.output().data()[0]](Scalar slope) { return dy * slope; });
        g.add(0, std::move(gradient));
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
