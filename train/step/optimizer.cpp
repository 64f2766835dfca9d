#include "train/step/optimizer.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "core/kernel/rows.hpp"
#include "train/options/weight_decay.hpp"
#include "train/step/muon.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Index chunk_size = 16384;

}  // namespace

Optimizer::Optimizer(ParameterStore& store, const TrainingOptions& options)
    : store_(store),
      options_(options),
      traits_(traits_of(options.optimizer)),
      update_(update_of(options.optimizer)) {
  for (Index block = 0; block < store.blocks(); ++block) {
    add_chunks(block);
  }
  squares_.resize(chunks_.size());
  add_states(traits_.moments, false);
  add_states(traits_.matrix_moments, true);
  add_matrices();
}

void Optimizer::add_chunks(Index block) {
  const ParameterKind kind = store_.kind_of(block);
  for (Index offset = 0; offset < store_.block_size(block); offset += chunk_size) {
    chunks_.push_back({.range = {.block = block,
                                 .offset = offset,
                                 .count = std::min(chunk_size, store_.block_size(block) - offset)},
                       .weight_decay = static_cast<Scalar>(weight_decay_of(options_, kind)),
                       .in_matrix = traits_.updates_whole(kind)});
  }
}

void Optimizer::add_states(std::span<const OptimizerMoment> moments, bool of_matrices) {
  for (const OptimizerMoment& moment : moments) {
    State& state = states_.emplace_back(State{.name = std::string(moment.name)});
    if (moment.of_squares) {
      state.least = 0;
      state.most = std::numeric_limits<Scalar>::infinity();
    }
    for (Index block = 0; block < store_.blocks(); ++block) {
      const bool has_it = traits_.updates_whole(store_.kind_of(block)) == of_matrices;
      state.blocks.push_back(has_it ? Tensor::zeros(store_.block_shape(block)) : Tensor());
    }
  }
}

// The largest come first, so that none is left for one thread at the end.
void Optimizer::add_matrices() {
  for (const NamedParameter& parameter : store_.parameters()) {
    if (traits_.updates_whole(parameter.kind)) {
      matrices_.push_back(
          {.block = parameter.block,
           .offset = parameter.offset - store_.block_begin(parameter.block),
           .rows = parameter.shape[0],
           .columns = parameter.shape[1],
           .weight_decay = static_cast<Scalar>(weight_decay_of(options_, parameter.kind)),
           .rate = matrix_rate(1)});
    }
  }
  std::ranges::stable_sort(matrices_, std::greater<>(),
                           [](const Matrix& matrix) { return matrix.rows * matrix.columns; });
}

// On the learning rate of the other parameters.
Scalar Optimizer::matrix_rate(double factor) const {
  return static_cast<Scalar>(factor * options_.muon_rate / options_.learning_rate);
}

void Optimizer::scale_rate(const Parameter& parameter, double factor) {
  for (Matrix& matrix : matrices_) {
    if (matrix.block == parameter.block) {
      matrix.rate = matrix_rate(factor);
    }
  }
  for (Chunk& chunk : chunks_) {
    if (chunk.range.block == parameter.block) {
      chunk.rate = static_cast<Scalar>(factor);
    }
  }
}

double Optimizer::step(Workers& workers, const std::vector<ParameterGradients*>& shards,
                       double scale, double learning_rate) {
  const auto chunk_count = static_cast<Index>(chunks_.size());
  GradientSums sums = place_for_sums(store_, shards);
  const auto sum_of = [&sums](const BlockRange& range) {
    return sums[static_cast<std::size_t>(range.block)].data() + range.offset;
  };
  workers.run(chunk_count, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const BlockRange& range = chunks_[k].range;
    squares_[k] = sum_gradients(range, shards, static_cast<Scalar>(scale), sum_of(range));
  });
  double squares = 0;
  for (const double part : squares_) {
    squares += part;
  }
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) {
    report_not_finite(store_, sums);
  }
  ++steps_;
  const bool clipped = options_.clip_norm > 0 && norm > options_.clip_norm;
  const Factors factors{.learning_rate = static_cast<Scalar>(learning_rate),
                        .clip = static_cast<Scalar>(clipped ? options_.clip_norm / norm : 1.0)};
  update_matrices(workers, sums, factors);
  workers.run(chunk_count, [&](Index i) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(i)];
    if (!chunk.in_matrix) {
      update_chunk(chunk, sum_of(chunk.range), factors);
    }
  });
  return norm;
}

Scalar* Optimizer::value_at(Index block, Index offset) {
  return store_.values().data() + store_.block_begin(block) + offset;
}

Scalar* Optimizer::moment_at(std::size_t state, Index block, Index offset) {
  return states_[state].blocks[static_cast<std::size_t>(block)].data() + offset;
}

void Optimizer::update_chunk(const Chunk& chunk, const Scalar* sum, Factors factors) {
  const auto& [block, offset, count] = chunk.range;
  Update update{.count = count,
                .weight = value_at(block, offset),
                .gradient = sum,
                .moments = {},
                .learning_rate = factors.learning_rate * chunk.rate,
                .clip = factors.clip,
                .weight_decay = chunk.weight_decay,
                .step = steps_};
  for (std::size_t k = 0; k < traits_.moments.size(); ++k) {
    update.moments[k] = moment_at(k, block, offset);
  }
  update_(update, options_);
}

// One part for each thread, since a part has scratch memory and a matrix does not. Each takes
// matrices until there are none left. Which part takes which does not change the result.
void Optimizer::update_matrices(Workers& workers, GradientSums& sums, Factors factors) {
  if (matrices_.empty()) {
    return;
  }
  Index scratch_size = 0;
  for (const Matrix& matrix : matrices_) {
    scratch_size = std::max(scratch_size, muon_scratch(matrix.rows, matrix.columns));
  }
  const Index parts = std::min(workers.threads(), std::ssize(matrices_));
  Tensor scratch = Tensor::empty({parts, scratch_size});
  std::atomic<std::size_t> next = 0;
  workers.run(parts, [&](Index part) {
    for (std::size_t i = next++; i < matrices_.size(); i = next++) {
      const auto& [block, offset, rows, columns, weight_decay, rate] = matrices_[i];
      muon({.rows = rows,
            .columns = columns,
            .weight = value_at(block, offset),
            .gradient = sums[static_cast<std::size_t>(block)].data() + offset,
            .momentum = moment_at(traits_.moments.size(), block, offset),
            .learning_rate = factors.learning_rate * rate,
            .clip = factors.clip,
            .weight_decay = weight_decay},
           static_cast<Scalar>(options_.muon_momentum), scratch.row(part));
    }
  });
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
