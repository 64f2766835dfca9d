#include "train/run/rank_checkpoint.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/files/hash.hpp"
#include "core/ranks/sharing.hpp"
#include "core/text.hpp"
#include "train/run/rank_moments.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The tensors of the optimiser in a checkpoint, by name.
struct Moment {
  const Optimizer::State* state;
  const NamedParameter* parameter;
};
using Moments = std::map<std::string, Moment, std::less<>>;

Moments moments_of(const ParameterStore& store, const Optimizer& optimizer) {
  Moments moments;
  for (const Optimizer::State& state : optimizer.states()) {
    for (const NamedParameter& parameter : store.parameters()) {
      if (state.belongs_to(parameter)) {
        moments[moment_name(state, parameter)] = {.state = &state, .parameter = &parameter};
      }
    }
  }
  return moments;
}

}  // namespace

void save_training(const Checkpoints& checkpoints, const TrainingState& training,
                   const TrainingPosition& position, const Metadata& metadata, Ranks& ranks) {
  const std::vector<TensorEntry> entries = training_entries(training);
  if (ranks.count() == 1) {
    checkpoints.save(position.step, entries, metadata);
    return;
  }
  const Moments moments = moments_of(training.store, training.optimizer);
  RankMoments kept(training.optimizer, ranks);
  const auto bytes_of = [&](const TensorEntry& entry) {
    const auto moment = moments.find(entry.name);
    return moment == moments.end()
               ? entry.bytes
               : std::as_bytes(kept.bring(*moment->second.state, *moment->second.parameter));
  };
  if (ranks.first()) {
    checkpoints.save(position.step, entries, metadata, bytes_of);
    return;
  }
  for (const TensorEntry& entry : in_file_order(entries)) {
    bytes_of(entry);
  }
}

void share_training(const TensorFile* checkpoint, const TrainingState& training,
                    TrainingPosition& position, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto& [store, optimizer, memory] = training;
  share_weights(store, ranks);
  share_position(position, ranks);
  optimizer.set_steps(position.step);
  if (position.step == 0) {
    return;
  }
  if (memory != nullptr) {
    copy_from_first(ranks, std::as_writable_bytes(memory->committed().values()));
  }
  RankMoments kept(optimizer, ranks);
  std::vector<Scalar> numbers;
  for (const auto& [name, moment] : moments_of(store, optimizer)) {
    if (ranks.first()) {
      numbers.resize(static_cast<std::size_t>(moment.parameter->shape.size()));
      copy_values(checkpoint->entry(name), std::span(numbers));
    }
    kept.give(*moment.state, *moment.parameter, numbers);
  }
}

void share_weights(ParameterStore& store, Ranks& ranks) {
  copy_from_first(ranks, std::as_writable_bytes(store.values().values()));
}

void share_position(TrainingPosition& position, Ranks& ranks) {
  position.measure = text_of_first(ranks, position.measure);
  for (Index* number : {&position.step, &position.epoch, &position.batch, &position.evaluations,
                        &position.best_evaluation}) {
    *number = value_of_first(ranks, *number);
  }
  position.batching = value_of_first(ranks, position.batching);
  position.best_value = value_of_first(ranks, position.best_value);
  position.best_loss = value_of_first(ranks, position.best_loss);
}

void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto bytes = std::as_bytes(store.values().values());
  const auto hash =
      Hash()
          .add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()))
          .value();
  const std::vector<std::uint64_t> hashes = share_values(ranks, hash);
  std::vector<std::string> differing;
  for (std::size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes.front()) {
      differing.push_back(ranks.name(static_cast<Index>(rank)));
    }
  }
  if (!differing.empty()) {
    throw RankError(fmt::format(
        "step {}: {} has other weights than {}, although both made the same steps: its memory, its "
        "processor or the network is not reliable; earlier checkpoints are unchanged",
        step, join(differing, ", "), ranks.name(0)));
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
