#include "train/step/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/kernel/rows.hpp"
#include "core/tape/finite.hpp"
#include "train/options/weight_decay.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index chunk_size = 16384;

}  // namespace

Optimizer::Optimizer(ParameterStore& store, const TrainingOptions& options)
    : store_(store), options_(options), update_(update_of(options.optimizer)) {
  for (std::size_t i = 0; i < traits_of(options.optimizer).moments.size(); ++i) {
    moments_.push_back(Tensor::zeros({store.size()}));
  }
  for (Index block = 0; block < store.blocks(); ++block) {
    const double weight_decay = weight_decay_of(options, store.kind_of(block));
    for (Index begin = 0; begin < store.block_size(block); begin += chunk_size) {
      chunks_.push_back({.block = block,
                         .begin = store.block_begin(block) + begin,
                         .offset = begin,
                         .count = std::min(chunk_size, store.block_size(block) - begin),
                         .weight_decay = static_cast<Scalar>(weight_decay)});
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
  std::vector<State> states;
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const OptimizerMoment& moment = traits_of(options_.optimizer).moments[i];
    states.push_back({.name = std::string(moment.name), .memory = &moments_[i]});
    if (moment.of_squares) {
      states.back().least = 0;
      states.back().most = std::numeric_limits<Scalar>::infinity();
    }
  }
  return states;
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
  const auto clip = static_cast<Scalar>(clipped ? options_.clip_norm / norm : 1.0);
  workers.run(chunk_count, [&](Index i) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(i)];
    Update update{.count = chunk.count,
                  .weight = store_.values().data() + chunk.begin,
                  .gradient = sum_of(chunk),
                  .moments = {},
                  .learning_rate = static_cast<Scalar>(learning_rate) * chunk.rate,
                  .clip = clip,
                  .weight_decay = chunk.weight_decay,
                  .step = steps_};
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      update.moments[k] = moments_[k].data() + chunk.begin;
    }
    update_(update, options_);
  });
  return norm;
}

// The memory of the first shard that wrote the block; zeros if none did.
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

// sum = scale Σ over shards, the first of which has written to `sum`; returns Σ sum². Adding the
// last shard, scaling and squaring is one pass over memory.
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
