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
      matrices_.push_back(&parameter);
    }
  }
  std::ranges::stable_sort(matrices_, std::greater<>(),
                           [](const NamedParameter* matrix) { return matrix->shape.size(); });
}

void Optimizer::add_states(std::span<const OptimizerMoment> moments, bool of_matrices) {
  for (const OptimizerMoment& moment : moments) {
    State& state = states_.emplace_back(
        State{.name = std::string(moment.name), .of_squares = moment.of_squares});
    for (Index block = 0; block < store_.blocks(); ++block) {
      const bool has_it =
          !store_.frozen(block) && traits_.updates_whole(store_.kind_of(block)) == of_matrices;
      const Index kept_here = slice_of(store_, block).overlap(exchange_.slice()).size();
      state.of_block.push_back(has_it);
      state.blocks.push_back(has_it && kept_here > 0 ? Tensor::zeros({kept_here}) : Tensor());
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
  const Update common{.learning_rate = static_cast<Scalar>(learning_rate),
                      .clip = static_cast<Scalar>(clipped ? options_.clip_norm / norm : 1.0),
                      .step = steps_};
  update_matrices(workers, sums, common);
  for_own_chunks(workers, [&](std::size_t i) {
    const Chunk& chunk = chunks_[i];
    if (!chunk.in_matrix) {
      update_chunk(chunk, sums.at(chunk.range.block, chunk.range.offset), common);
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

void Optimizer::update_chunk(const Chunk& chunk, Scalar* sum, const Update& common) {
  const auto& [block, offset, count] = chunk.range;
  Update one = common;
  one.columns = count;
  one.weight = value_at(block, offset);
  one.gradient = sum;
  one.learning_rate *= chunk.rate;
  one.weight_decay = chunk.weight_decay;
  for (std::size_t k = 0; k < traits_.moments.size(); ++k) {
    one.moments[k] = moment_at(states_[k], block, offset);
  }
  update(one, options_);
}

// One part per thread, because each part needs scratch memory. Each part takes matrices until none
// are left; the result does not depend on which part takes which matrix.
void Optimizer::update_matrices(Workers& workers, GradientSums& sums, const Update& common) {
  if (matrices_.empty()) {
    return;
  }
  Index scratch_size = 0;
  for (const NamedParameter* matrix : matrices_) {
    scratch_size = std::max(scratch_size, muon_scratch(matrix->shape[0], matrix->shape[1]));
  }
  const Index parts = std::min(workers.threads(), std::ssize(matrices_));
  Tensor scratch = Tensor::empty({parts, scratch_size});
  const auto rate = static_cast<Scalar>(options_.muon_rate / options_.learning_rate);
  std::atomic<std::size_t> next = 0;
  workers.run(parts, [&](Index part) {
    for (std::size_t i = next++; i < matrices_.size(); i = next++) {
      const NamedParameter& matrix = *matrices_[i];
      const Index block = matrix.block;
      const Index offset = matrix.offset - store_.block_begin(block);
      Update one = common;
      one.rows = matrix.shape[0];
      one.columns = matrix.shape[1];
      one.weight = value_at(block, offset);
      one.gradient = sums.at(block, offset);
      one.moments[0] = moment_at(states_[traits_.moments.size()], block, offset);
      one.learning_rate *= rate;
      one.weight_decay = static_cast<Scalar>(weight_decay_of(options_, matrix.kind));
      muon(one, static_cast<Scalar>(options_.muon_momentum), scratch.row(part));
    }
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
