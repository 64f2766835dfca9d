#include "train/step/trainer.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/tape/anomaly.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Trainer::Trainer(ParameterStore& store, const Team& team, const Options& options)
    : store_(store),
      team_(team),
      options_(options),
      optimizer_(store, options.training, team.ranks),
      shard_count_(options.training.shards.value_or(1)),
      memory_(options.memory) {
  for (auto [i, end] = exchange().shards(); i < end; ++i) {
    shards_.push_back(std::make_unique<Shard>(store));
    gradients_.push_back(&shards_.back()->gradients);
  }
}

void Trainer::run_own_shards(const std::vector<Batch>& batches, const LossFunction& loss,
                             Index& batch) {
  RowsBefore before;
  const Slice own = exchange().shards();
  for (batch = 0; batch < std::ssize(batches); ++batch) {
    const Batch& whole = batches[static_cast<std::size_t>(batch)];
    const PoolVector<Batch> all = cut_into_shards(whole, shard_count_, before);
    const Index count = std::min(own.end, std::ssize(all)) - own.begin;
    team_.workers.run(std::max<Index>(0, count), [&](Index i) {
      const Batch& shard = all[static_cast<std::size_t>(own.begin + i)];
      for (const Batch& part : cut_into_parts(shard, part_rows(options_.d_model))) {
        run_part(*shards_[static_cast<std::size_t>(i)], part, loss);
      }
    });
    if (!whole.input.lanes.empty()) {
      // A batch's lanes are consecutive. The batch may have fewer shards than `shard_count_`.
      PoolVector<Index>& first = lanes_of_shards_.emplace_back();
      for (const Batch& shard : all) {
        first.push_back(shard.input.lanes.front());
      }
      first.resize(static_cast<std::size_t>(shard_count_) + 1, whole.input.lanes.back() + 1);
      memory_.value().mark_written(whole.input.lanes);
    }
    before.context += whole.context.rows();
    before.input += whole.input.rows();
  }
}

void Trainer::run_shards(const std::vector<Batch>& batches, const LossFunction& loss) {
  for (const auto& shard : shards_) {
    shard->gradients.forget();
    shard->result = {};
  }
  lanes_of_shards_.clear();
  if (memory_) {
    memory_->discard();
  }
  Index batch = 0;
  on_all_ranks(team_.ranks, batch, [&] { run_own_shards(batches, loss, batch); });
}

// Shares the lanes of all shards, because the next batch may be cut differently.
void Trainer::share_memory() {
  for (const PoolVector<Index>& first : lanes_of_shards_) {
    const Index bytes_of_lane = memory_->numbers_of_lane() * static_cast<Index>(sizeof(Scalar));
    PoolVector<Index> begins;
    for (const Index lane : first) {
      begins.push_back((lane - first.front()) * bytes_of_lane);
    }
    exchange().share_shards(
        std::as_writable_bytes(memory_->written(first.front(), first.back() - first.front())),
        begins);
  }
}

// Adds the results of all shards, in shard order.
StepStats Trainer::stats_of(Index tokens) {
  PoolVector<StepStats> results(static_cast<std::size_t>(shard_count_));
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    results[static_cast<std::size_t>(exchange().shards().begin) + i] = shards_[i]->result;
  }
  exchange().share_shards(std::as_writable_bytes(std::span(results)));
  StepStats stats{.tokens = tokens};
  for (const StepStats& result : results) {
    stats.loss += result.loss;
    stats.negative_log_likelihood += result.negative_log_likelihood;
    stats.penalty += result.penalty;
    stats.correct += result.correct;
  }
  stats.loss /= static_cast<double>(tokens);
  stats.negative_log_likelihood /= static_cast<double>(tokens);
  stats.penalty /= static_cast<double>(tokens);
  return stats;
}

StepStats Trainer::step(const std::vector<Batch>& batches, const LossFunction& loss) {
  Index tokens = 0;
  for (const Batch& batch : batches) {
    expect_whole(batch);
    tokens += batch.labels.count();
  }
  if (tokens == 0) {
    throw ShapeError("trainer.step: the batches have no label, so there is nothing to learn");
  }
  run_shards(batches, loss);
  StepStats stats = stats_of(tokens);
  if (!std::isfinite(stats.loss + stats.penalty)) {
    explain(fmt::format("the loss is {}", stats.loss + stats.penalty), batches, loss);
  }
  stats.learning_rate = learning_rate_at(options_.training, options_.d_model,
                                         optimizer_.steps() + 1, options_.total_steps);
  try {
    stats.gradient_norm = optimizer_.step(team_.workers, gradients_,
                                          1 / static_cast<double>(tokens), stats.learning_rate);
  } catch (const NumericError& error) {
    explain(error.what(), batches, loss);
  }
  if (memory_) {
    share_memory();
    memory_->commit();
  }
  return stats;
}

void Trainer::explain(const std::string& what, const std::vector<Batch>& batches,
                      const LossFunction& loss) {
  for (const NamedParameter& parameter : store_.parameters()) {
    const Index bad = first_not_finite(store_.value(parameter));
    if (bad >= 0) {
      throw NumericError("{}; element {} of the parameter {} is not finite", what, bad,
                         parameter.name);
    }
  }
  try {
    const AnomalyGuard look;
    run_shards(batches, loss);
  } catch (const NumericError& error) {
    throw NumericError("{}; first seen in {}", what, error.what());
  }
  throw NumericError(what);
}

Var penalty_of(const PenaltyFunction& penalty, Pass& pass, const Batch& batch) {
  return scale(penalty(pass), static_cast<Scalar>(batch.labels.count()));
}

void Trainer::run_part(Shard& shard, const Batch& batch, const LossFunction& loss) {
  shard.tape.clear();
  Pass pass(shard.tape, store_, shard.gradients, options_.seed, optimizer_.steps() + 1);
  pass.memory = memory();
  pass.precision = options_.training.precision;
  try {
    Var total = [&] {
      CrossEntropy result = loss(pass, batch);
      shard.result.negative_log_likelihood += result.negative_log_likelihood;
      shard.result.correct += result.correct;
      return std::move(result.loss);
    }();
    shard.result.loss += static_cast<double>(total.value().data()[0]);
    if (options_.penalty) {
      const Var penalty = penalty_of(options_.penalty, pass, batch);
      shard.result.penalty += static_cast<double>(penalty.value().data()[0]);
      total = add(total, penalty);
    }
    shard.tape.backward(total);
  } catch (const AnomalyError& error) {
    Anomaly anomaly = error.anomaly;
    anomaly.examples.assign(batch.examples.begin(), batch.examples.end());
    throw AnomalyError(std::move(anomaly));
  }
}

NumericError numeric_error(Index step, const std::string& what) {
  return NumericError(
      "step {}: {}\nearlier checkpoints are unchanged (a lower training.learning_rate, or a longer "
      "training.warmup, may help)",
      step, what);
}

void expect_finite_weights(const ParameterStore& store, Index step) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor values = store.value(parameter);
    const Index bad = first_not_finite(values);
    if (bad >= 0) {
      throw numeric_error(step, fmt::format("element {} of {} {} is {}", bad, parameter.name,
                                            parameter.shape.to_string(), values.data()[bad]));
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
