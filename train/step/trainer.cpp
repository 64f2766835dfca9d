#include "train/step/trainer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/tape/anomaly.hpp"
#include "core/tape/finite.hpp"
#include "train/step/schedule.hpp"
#include "train/step/shards.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Trainer::Trainer(ParameterStore& store, Workers& workers, const Options& options)
    : store_(store), workers_(workers), options_(options), optimizer_(store, options.training) {
  for (Index i = 0; i < options.training.shards.value_or(1); ++i) {
    shards_.push_back(std::make_unique<Shard>(store));
    gradients_.push_back(&shards_.back()->gradients);
  }
}

void Trainer::run_shards(const std::vector<Batch>& batches, const LossFunction& loss) {
  for (const auto& shard : shards_) {
    shard->gradients.forget();
    shard->loss = 0;
    shard->negative_log_likelihood = 0;
    shard->penalty = 0;
    shard->correct = 0;
  }
  RowsBefore before;
  for (const Batch& batch : batches) {
    const PoolVector<Batch> shards =
        cut_into_shards(batch, static_cast<Index>(shards_.size()), before);
    workers_.run(static_cast<Index>(shards.size()), [&](Index i) {
      const Batch& shard = shards[static_cast<std::size_t>(i)];
      for (const Batch& part : cut_into_parts(shard, part_rows(options_.d_model))) {
        run_part(*shards_[static_cast<std::size_t>(i)], part, loss);
      }
    });
    before.context += batch.context.rows();
    before.input += batch.input.rows();
  }
}

StepStats Trainer::step(const std::vector<Batch>& batches, const LossFunction& loss) {
  StepStats stats;
  for (const Batch& batch : batches) {
    expect_whole(batch);
    stats.tokens += batch.labels.count();
  }
  if (stats.tokens == 0) {
    throw ShapeError("trainer.step: the batches have no label, so there is nothing to learn");
  }
  run_shards(batches, loss);
  for (const auto& shard : shards_) {
    stats.loss += shard->loss;
    stats.negative_log_likelihood += shard->negative_log_likelihood;
    stats.penalty += shard->penalty;
    stats.correct += shard->correct;
  }
  const auto tokens = static_cast<double>(stats.tokens);
  stats.loss /= tokens;
  stats.negative_log_likelihood /= tokens;
  stats.penalty /= tokens;
  if (!std::isfinite(stats.loss + stats.penalty)) {
    explain(fmt::format("the loss is {}", stats.loss + stats.penalty), batches, loss);
  }
  stats.learning_rate = learning_rate_at(options_.training, options_.d_model,
                                         optimizer_.steps() + 1, options_.total_steps);
  try {
    stats.gradient_norm = optimizer_.step(workers_, gradients_, 1 / tokens, stats.learning_rate);
  } catch (const NumericError& error) {
    explain(error.what(), batches, loss);
  }
  return stats;
}

void Trainer::explain(const std::string& what, const std::vector<Batch>& batches,
                      const LossFunction& loss) {
  std::string message = what;
  for (const NamedParameter& parameter : store_.parameters()) {
    const Index bad = first_not_finite(store_.value(parameter));
    if (bad >= 0) {
      throw NumericError(fmt::format("{}; element {} of the parameter {} is not finite", what, bad,
                                     parameter.name));
    }
  }
  try {
    const AnomalyGuard look;
    run_shards(batches, loss);
  } catch (const NumericError& error) {
    message += fmt::format("; first seen in {}", error.what());
  }
  throw NumericError(message);
}

Var penalty_of(const PenaltyFunction& penalty, Pass& pass, const Batch& batch) {
  return scale(penalty(pass), static_cast<Scalar>(batch.labels.count()));
}

Var Trainer::with_penalty(Shard& shard, Pass& pass, const Batch& batch, Var loss) const {
  if (!options_.penalty) {
    return loss;
  }
  const Var penalty = penalty_of(options_.penalty, pass, batch);
  shard.penalty += static_cast<double>(penalty.value().data()[0]);
  return add(loss, penalty);
}

void Trainer::run_part(Shard& shard, const Batch& batch, const LossFunction& loss) {
  shard.tape.clear();
  Pass pass(shard.tape, store_, shard.gradients, options_.seed, optimizer_.steps() + 1);
  try {
    const Var total = [&] {
      CrossEntropy result = loss(pass, batch);
      shard.negative_log_likelihood += result.negative_log_likelihood;
      shard.correct += result.correct;
      return std::move(result.loss);
    }();
    shard.loss += static_cast<double>(total.value().data()[0]);
    shard.tape.backward(with_penalty(shard, pass, batch, total));
  } catch (const AnomalyError& error) {
    Anomaly anomaly = error.anomaly;
    anomaly.examples.assign(batch.examples.begin(), batch.examples.end());
    throw AnomalyError(std::move(anomaly));
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
