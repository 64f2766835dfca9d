#include "train/step/optimizer.hpp"

#include <atomic>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Optimizer::Optimizer(ParameterStore& store, const TrainingOptions& options, Ranks& ranks)
    : store_(store),
      options_(options),
      traits_(traits_of(options.optimizer)),
      chunks_(chunks_of(store, options, 1).all),
      exchange_(store, options, ranks),
      squares_(chunks_.size()) {
  add_states(traits_.moments, false);
  add_states(traits_.matrix_moments, true);
  // The matrices, largest first, to balance the work of the threads.
  const Slice own = exchange_.slice();
  for (const NamedParameter& parameter : store.parameters()) {
    if (!parameter.frozen && traits_.updates_whole(parameter.kind) &&
        parameter.offset >= own.begin && parameter.offset < own.end) {
      matrices_.push_back(
          {.block = parameter.block,
           .offset = parameter.offset - store.block_begin(parameter.block),
           .rows = parameter.shape[0],
           .columns = parameter.shape[1],
           .weight_decay = static_cast<Scalar>(weight_decay_of(options, parameter.kind)),
           .rate = matrix_rate(1)});
    }
  }
  std::ranges::stable_sort(matrices_, std::greater<>(),
                           [](const Matrix& matrix) { return matrix.rows * matrix.columns; });
}

void Optimizer::add_states(std::span<const OptimizerMoment> moments, bool of_matrices) {
  for (const OptimizerMoment& moment : moments) {
    State& state = states_.emplace_back(State{.name = std::string(moment.name)});
    if (moment.of_squares) {
      state.bounds = {.least = 0, .most = std::numeric_limits<Scalar>::infinity()};
    }
    for (Index block = 0; block < store_.blocks(); ++block) {
      const bool has_it =
          !store_.frozen(block) && traits_.updates_whole(store_.kind_of(block)) == of_matrices;
      const Index kept_here = slice_of(store_, block).overlap(exchange_.slice()).size();
      state.of_block.push_back(has_it);
      state.blocks.push_back(has_it && kept_here > 0 ? Tensor::zeros({kept_here}) : Tensor());
    }
  }
}

// The factor on the learning rate of the other parameters.
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

double Optimizer::step(Workers& workers, const std::vector<ParameterGradients*>& computed,
                       double scale, double learning_rate) {
  const PoolVector<ShardGradients> shards = exchange_.bring(computed);
  GradientSums sums(store_, shards, exchange_.slice());
  for_own_chunks(workers, [&](std::size_t i) {
    const BlockRange& range = chunks_[i].range;
    squares_[i] = sum_gradients(range, shards, static_cast<Scalar>(scale),
                                sums.at(range.block, range.offset));
  });
  exchange_.share_chunks(squares_);
  // In chunk order, whoever computed them.
  const double norm = std::sqrt(std::accumulate(squares_.begin(), squares_.end(), 0.0));
  if (!std::isfinite(norm)) {
    // Slices are in parameter order, so the first text names the first parameter.
    const std::string found = exchange_.first_text(not_finite_in(store_, sums, exchange_.slice()));
    throw NumericError(found.empty() ? "the gradient is too large: its norm overflows" : found);
  }
  ++steps_;
  const bool clipped = options_.clip_norm > 0 && norm > options_.clip_norm;
  const Factors factors{.learning_rate = static_cast<Scalar>(learning_rate),
                        .clip = static_cast<Scalar>(clipped ? options_.clip_norm / norm : 1.0)};
  update_matrices(workers, sums, factors);
  for_own_chunks(workers, [&](std::size_t i) {
    const Chunk& chunk = chunks_[i];
    if (!chunk.in_matrix) {
      update_chunk(chunk, sums.at(chunk.range.block, chunk.range.offset), factors);
    }
  });
  exchange_.share_slices(store_.values().values());
  return norm;
}

Scalar* Optimizer::value_at(Index block, Index offset) {
  return store_.values().data() + store_.block_begin(block) + offset;
}

Scalar* Optimizer::moment_at(const State& state, Index block, Index offset) const {
  Tensor numbers = state.blocks[static_cast<std::size_t>(block)];
  return numbers.data() + offset -
         std::max<Index>(0, exchange_.slice().begin - store_.block_begin(block));
}

std::span<Scalar> Optimizer::kept(const State& state, const NamedParameter& parameter) const {
  const Slice shared = slice_of(parameter).overlap(exchange_.slice());
  if (shared.size() == 0) {
    return {};
  }
  return {moment_at(state, parameter.block, shared.begin - store_.block_begin(parameter.block)),
          static_cast<std::size_t>(shared.size())};
}

void Optimizer::update_chunk(const Chunk& chunk, const Scalar* sum, Factors factors) {
  const auto& [block, offset, count] = chunk.range;
  Update one{.count = count,
             .weight = value_at(block, offset),
             .gradient = sum,
             .learning_rate = factors.learning_rate * chunk.rate,
             .clip = factors.clip,
             .weight_decay = chunk.weight_decay,
             .step = steps_};
  for (std::size_t k = 0; k < traits_.moments.size(); ++k) {
    one.moments[k] = moment_at(states_[k], block, offset);
  }
  update(one, options_);
}

// One part per thread, because each part needs scratch memory. Each part takes matrices until none
// are left; the result does not depend on which part takes which.
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
            .gradient = sums.at(block, offset),
            .momentum = moment_at(states_[traits_.moments.size()], block, offset),
            .learning_rate = factors.learning_rate * rate,
            .clip = factors.clip,
            .weight_decay = weight_decay},
           static_cast<Scalar>(options_.muon_momentum), scratch.row(part));
    }
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
