#include "train/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/finite.hpp"
#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index chunk_size = 16384;

}  // namespace

Optimizer::Optimizer(ParameterStore& store, const TrainingOptions& options)
    : store_(store),
      options_(options),
      first_(Tensor::zeros({store.size()})),
      second_(Tensor::zeros({options.optimizer == OptimizerKind::sgd ? 0 : store.size()})) {
  for (Index block = 0; block < store.blocks(); ++block) {
    for (Index begin = 0; begin < store.block_size(block); begin += chunk_size) {
      chunks_.push_back({.block = block,
                         .begin = store.block_begin(block) + begin,
                         .offset = begin,
                         .count = std::min(chunk_size, store.block_size(block) - begin)});
    }
  }
  squares_.resize(chunks_.size());
}

void Optimizer::scale_rate(const Parameter& parameter, double factor) {
  for (Chunk& chunk : chunks_) {
    if (chunk.block == parameter.block) {
      chunk.rate = static_cast<Scalar>(factor);
    }
  }
}

std::vector<Optimizer::State> Optimizer::states() {
  if (options_.optimizer == OptimizerKind::sgd) {
    return {{.name = "momentum", .memory = &first_}};
  }
  // The square of a gradient overflows before the gradient does.
  return {{.name = "first_moment", .memory = &first_},
          {.name = "second_moment",
           .memory = &second_,
           .least = 0,
           .most = std::numeric_limits<Scalar>::infinity()}};
}

double Optimizer::step(Workers& workers, const std::vector<ParameterGradients*>& shards,
                       double scale, double learning_rate) {
  const auto chunk_count = static_cast<Index>(chunks_.size());
  Sums sums = place_for_sums(shards);
  const auto sum_of = [&sums](const Chunk& chunk) {
    return sums[static_cast<std::size_t>(chunk.block)].data() + chunk.offset;
  };
  workers.run(chunk_count, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    squares_[k] = sum_chunk(chunks_[k], shards, static_cast<Scalar>(scale), sum_of(chunks_[k]));
  });
  double squares = 0;
  for (const double part : squares_) {
    squares += part;
  }
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) {
    report_not_finite(sums);
  }
  ++steps_;
  const bool clipped = options_.clip_norm > 0 && norm > options_.clip_norm;
  const auto taken = static_cast<double>(steps_);
  const Update update{
      .learning_rate = static_cast<Scalar>(learning_rate),
      .clip = static_cast<Scalar>(clipped ? options_.clip_norm / norm : 1.0),
      .first_correction = static_cast<Scalar>(1 / (1 - std::pow(options_.beta1, taken))),
      .second_correction = static_cast<Scalar>(1 / (1 - std::pow(options_.beta2, taken)))};
  workers.run(chunk_count, [&](Index i) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(i)];
    update_chunk(chunk, update, sum_of(chunk));
  });
  return norm;
}

// The memory of the first shard that wrote the block; zeros where none did.
Optimizer::Sums Optimizer::place_for_sums(const std::vector<ParameterGradients*>& shards) const {
  Sums sums;
  sums.reserve(static_cast<std::size_t>(store_.blocks()));
  for (Index block = 0; block < store_.blocks(); ++block) {
    const auto wrote = [block](const ParameterGradients* shard) { return shard->written(block); };
    const auto first = std::ranges::find_if(shards, wrote);
    sums.push_back(first == shards.end() ? Tensor::zeros(store_.block_shape(block))
                                         : (*first)->slot(block).memory);
  }
  return sums;
}

// sum = scale Σ over shards, the first of which has written to `sum`; returns Σ sum². What the last
// shard wrote is added, scaled and squared in one pass over memory.
double Optimizer::sum_chunk(const Chunk& chunk, const std::vector<ParameterGradients*>& shards,
                            Scalar scale, Scalar* sum) {
  const Scalar* last = nullptr;
  for (const ParameterGradients* shard : shards) {
    if (!shard->written(chunk.block)) {
      continue;
    }
    if (const Scalar* part = shard->data(chunk.block) + chunk.offset; part != sum) {
      if (last != nullptr) {
        add_to(sum, last, chunk.count);
      }
      last = part;
    }
  }
  const Lanes s(scale);
  const auto square = [](const Lanes& a) { return a * a; };
  const Scalar squares =
      last == nullptr
          ? map_and_sum_terms(
                chunk.count, sum, [s](const Lanes& a) { return s * a; }, square, sum)
          : map_and_sum_terms(
                chunk.count, sum, [s](const Lanes& a, const Lanes& b) { return s * (a + b); },
                square, sum, last);
  return static_cast<double>(squares);
}

void Optimizer::update_chunk(const Chunk& chunk, Update update, const Scalar* gradient) {
  update.learning_rate *= chunk.rate;
  if (options_.optimizer == OptimizerKind::sgd) {
    update_sgd(chunk, update, gradient);
  } else {
    update_adam(chunk, update, gradient);
  }
}

// u = momentum u + (clip g + decay w);  w -= rate u (Sutskever et al. 2013, as PyTorch writes it)
void Optimizer::update_sgd(const Chunk& chunk, const Update& update, const Scalar* gradient) {
  Scalar* weight = store_.values().data() + chunk.begin;
  Scalar* velocity = first_.data() + chunk.begin;
  const Lanes decay(static_cast<Scalar>(options_.weight_decay));
  const Lanes momentum(static_cast<Scalar>(options_.momentum));
  const Lanes clip(update.clip);
  map_row(
      chunk.count, velocity,
      [=](const Lanes& u, const Lanes& g, const Lanes& w) {
        return momentum * u + (clip * g + decay * w);
      },
      velocity, gradient, weight);
  map_row(
      chunk.count, weight,
      [r = Lanes(update.learning_rate)](const Lanes& w, const Lanes& u) { return w - r * u; },
      weight, velocity);
}

// m = β₁ m + (1 - β₁) g;  v = β₂ v + (1 - β₂) g²;  w -= rate m̂ / (√v̂ + ε), with m̂ = m / (1 - β₁ᵗ),
// v̂ = v / (1 - β₂ᵗ) (Kingma and Ba 2015, algorithm 1). Weight decay is part of g in adam, and w -=
// rate decay w in adamw (Loshchilov and Hutter 2019, algorithm 2).
void Optimizer::update_adam(const Chunk& chunk, const Update& update, const Scalar* gradient) {
  const bool decoupled = options_.optimizer == OptimizerKind::adamw;
  const auto decay = static_cast<Scalar>(options_.weight_decay);
  const Lanes coupled_decay(decoupled ? Scalar{0} : decay);
  const Lanes shrink(decoupled ? 1 - update.learning_rate * decay : Scalar{1});
  const Lanes beta1(static_cast<Scalar>(options_.beta1));
  const Lanes beta2(static_cast<Scalar>(options_.beta2));
  const Lanes rest1(static_cast<Scalar>(1 - options_.beta1));
  const Lanes rest2(static_cast<Scalar>(1 - options_.beta2));
  const Lanes epsilon(static_cast<Scalar>(options_.epsilon));
  const Lanes clip(update.clip);
  const Lanes rate(update.learning_rate * update.first_correction);
  const Lanes second_correction(update.second_correction);
  const auto one = [&](Lanes& w, const Lanes& unclipped, Lanes& m, Lanes& v) {
    const Lanes g = clip * unclipped + coupled_decay * w;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
    w = shrink * w - rate * m / (xsimd::sqrt(v * second_correction) + epsilon);
  };
  Scalar* weight = store_.values().data() + chunk.begin;
  Scalar* first = first_.data() + chunk.begin;
  Scalar* second = second_.data() + chunk.begin;
  for (Index i = 0; i < chunk.count; i += lane_count) {
    const Index count = std::min(lane_count, chunk.count - i);
    const auto load = [&](const Scalar* from) { return lanes_at(from, i, count); };
    const auto store = [&](Scalar* to, const Lanes& lanes) {
      if (count == lane_count) {
        lanes.store_unaligned(to + i);
      } else {
        store_some(to + i, count, lanes);
      }
    };
    Lanes w = load(weight);
    Lanes m = load(first);
    Lanes v = load(second);
    one(w, load(gradient), m, v);
    store(weight, w);
    store(first, m);
    store(second, v);
  }
}

void Optimizer::report_not_finite(const Sums& sums) const {
  for (const NamedParameter& parameter : store_.parameters()) {
    const Tensor gradient = sums[static_cast<std::size_t>(parameter.block)].part(
        parameter.offset - store_.block_begin(parameter.block), parameter.shape);
    const Index bad = first_not_finite(gradient);
    if (bad >= 0) {
      throw NumericError(fmt::format("the gradient of {} {} is not finite: element {} is {}",
                                     parameter.name, parameter.shape.to_string(), bad,
                                     gradient.data()[bad]));
    }
  }
  throw NumericError("the gradient is too large: its norm overflows");
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
