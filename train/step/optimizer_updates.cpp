#include "train/step/optimizer_updates.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel/rows.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// u = momentum u + (clip g + decay w);  w -= rate u (Sutskever et al. 2013, as PyTorch writes it)
void sgd(const Update& update, const TrainingOptions& options) {
  Scalar* velocity = update.moments[0];
  const Lanes decay(update.weight_decay);
  const Lanes momentum(static_cast<Scalar>(options.momentum));
  const Lanes clip(update.clip);
  map_row(
      update.count, velocity,
      [=](const Lanes& u, const Lanes& g, const Lanes& w) {
        return momentum * u + (clip * g + decay * w);
      },
      velocity, update.gradient, update.weight);
  map_row(
      update.count, update.weight,
      [r = Lanes(update.learning_rate)](const Lanes& w, const Lanes& u) { return w - r * u; },
      update.weight, velocity);
}

// 1 / (1 - βᵗ)
Scalar correction(double beta, Index step) {
  return static_cast<Scalar>(1 / (1 - std::pow(beta, static_cast<double>(step))));
}

// m = β₁ m + (1 - β₁) g;  v = β₂ v + (1 - β₂) g²;  w -= rate m̂ / (√v̂ + ε), with m̂ = m / (1 - β₁ᵗ),
// v̂ = v / (1 - β₂ᵗ) (Kingma and Ba 2015, algorithm 1). Weight decay is part of g in adam, and w -=
// rate decay w in adamw (Loshchilov and Hutter 2019, algorithm 2), which muon uses too.
void adam(const Update& update, const TrainingOptions& options) {
  const bool decoupled = options.optimizer != OptimizerKind::adam;
  const Lanes coupled_decay(decoupled ? Scalar{0} : update.weight_decay);
  const Lanes shrink(decoupled ? 1 - update.learning_rate * update.weight_decay : Scalar{1});
  const Lanes beta1(static_cast<Scalar>(options.beta1));
  const Lanes beta2(static_cast<Scalar>(options.beta2));
  const Lanes rest1(static_cast<Scalar>(1 - options.beta1));
  const Lanes rest2(static_cast<Scalar>(1 - options.beta2));
  const Lanes epsilon(static_cast<Scalar>(options.epsilon));
  const Lanes clip(update.clip);
  const Lanes rate(update.learning_rate * correction(options.beta1, update.step));
  const Lanes second_correction(correction(options.beta2, update.step));
  const auto one = [&](Lanes& w, const Lanes& unclipped, Lanes& m, Lanes& v) {
    const Lanes g = clip * unclipped + coupled_decay * w;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
    w = shrink * w - rate * m / (xsimd::sqrt(v * second_correction) + epsilon);
  };
  const auto [first, second] = update.moments;
  for (Index i = 0; i < update.count; i += lane_count) {
    const Index count = std::min(lane_count, update.count - i);
    const auto load = [&](const Scalar* from) { return lanes_at(from, i, count); };
    const auto store = [&](Scalar* to, const Lanes& lanes) {
      if (count == lane_count) {
        lanes.store_unaligned(to + i);
      } else {
        store_some(to + i, count, lanes);
      }
    };
    Lanes w = load(update.weight);
    Lanes m = load(first);
    Lanes v = load(second);
    one(w, load(update.gradient), m, v);
    store(update.weight, w);
    store(first, m);
    store(second, v);
  }
}

}  // namespace

UpdateFunction update_of(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd:
      return sgd;
    default:
      return adam;
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
