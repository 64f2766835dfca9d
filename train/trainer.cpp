#include "train/trainer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.hpp"
#include "train/schedule.hpp"
#include "train/shards.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Trainer::Trainer(ParameterStore& store, Workers& workers, const Options& options)
    : store_(store), workers_(workers), options_(options), optimizer_(store, options.training) {
  for (Index i = 0; i < options.training.shards.value_or(1); ++i) {
    shards_.push_back(std::make_unique<Shard>(store));
  }
}

StepStats Trainer::step(const std::vector<Batch>& batches, const LossFunction& loss) {
  for (const auto& shard : shards_) {
    shard->gradients.forget();
    shard->loss = 0;
    shard->negative_log_likelihood = 0;
    shard->correct = 0;
  }
  StepStats stats;
  RowsBefore before;
  for (const Batch& batch : batches) {
    const std::vector<Batch> parts =
        cut_into_shards(batch, static_cast<Index>(shards_.size()), before);
    workers_.run(static_cast<Index>(parts.size()), [&](Index i) {
      run_shard(*shards_[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(i)], loss);
    });
    before.source += static_cast<Index>(batch.source.size());
    before.target += batch.tokens();
    stats.tokens += batch.tokens();
  }
  std::vector<ParameterGradients*> gradients;
  for (const auto& shard : shards_) {
    stats.loss += shard->loss;
    stats.negative_log_likelihood += shard->negative_log_likelihood;
    stats.correct += shard->correct;
    gradients.push_back(&shard->gradients);
  }
  const auto tokens = static_cast<double>(stats.tokens);
  stats.loss /= tokens;
  stats.negative_log_likelihood /= tokens;
  if (!std::isfinite(stats.loss)) {
    throw NumericError(fmt::format("the loss is {}", stats.loss));
  }
  stats.learning_rate = learning_rate_at(options_.training, options_.d_model,
                                         optimizer_.steps() + 1, options_.total_steps);
  stats.gradient_norm = optimizer_.step(workers_, gradients, 1 / tokens, stats.learning_rate);
  return stats;
}

void Trainer::run_shard(Shard& shard, const Batch& batch, const LossFunction& loss) {
  shard.tape.clear();
  Pass pass(shard.tape, store_, shard.gradients, options_.seed, optimizer_.steps() + 1);
  const Var total = [&] {
    CrossEntropy result = loss(pass, batch);
    shard.negative_log_likelihood += result.negative_log_likelihood;
    shard.correct += result.correct;
    return std::move(result.loss);
  }();
  shard.loss += static_cast<double>(total.value().data()[0]);
  shard.tape.backward(total);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
