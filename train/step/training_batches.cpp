#include "train/step/training_batches.hpp"

#include <algorithm>

namespace tapehead {

void TrainingBatches::begin(Index epoch) {
  current_ = {};  // so that memory never holds the batches of two epochs
  current_ = training_epoch(task_, config_.training.batching(), config_.seed, epoch, layout_);
  epoch_ = epoch;
}

std::vector<Batch> TrainingBatches::next(TrainingPosition& position) {
  if (epoch_ != position.epoch) {
    begin(position.epoch);
  }
  std::vector<Batch> group;
  const auto& [split, batches] = current_;
  const auto count = static_cast<Index>(batches.size());
  const Index end = std::min(count, position.batch + config_.training.accumulate);
  for (Index i = position.batch; i < end; ++i) {
    group.push_back(make_batch(*split, batches[static_cast<std::size_t>(i)], layout_));
  }
  position.batch = end == count ? 0 : end;
  position.epoch += end == count ? 1 : 0;
  return group;
}

}  // namespace tapehead
