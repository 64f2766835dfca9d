#include "train/run/rank_checkpoint.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/files/hash.hpp"
#include "core/ranks/sharing.hpp"
#include "core/text.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What an optimiser keeps of a parameter, when several ranks keep parts of it: brought to rank 0,
// which writes checkpoints, and from it.

class RankMoments {
 public:
  // Both must outlive it.
  RankMoments(Optimizer& optimizer, Ranks& ranks) : optimizer_(optimizer), ranks_(ranks) {}

  // On rank 0 all numbers of the parameter in this state, until the next call; elsewhere none.
  std::span<const Scalar> bring(const Optimizer::State& state, const NamedParameter& parameter);

  // Gives each rank its part of the numbers, which only rank 0 has.
  void give(const Optimizer::State& state, const NamedParameter& parameter,
            std::span<const Scalar> all);

 private:
  struct Part {
    Index rank;
    std::size_t first;  // of the parameter's numbers
    std::size_t count;
  };
  std::vector<Part> parts_of(const NamedParameter& parameter) const;

  Optimizer& optimizer_;
  Ranks& ranks_;
  std::vector<Scalar> all_;
};

std::vector<RankMoments::Part> RankMoments::parts_of(const NamedParameter& parameter) const {
  std::vector<Part> parts;
  const Slice whole = slice_of(parameter);
  for (Index rank = 0; rank < ranks_.count(); ++rank) {
    const Slice part = whole.overlap(optimizer_.exchange().slice_of(rank));
    if (part.size() > 0) {
      parts.push_back({.rank = rank,
                       .first = static_cast<std::size_t>(part.begin - whole.begin),
                       .count = static_cast<std::size_t>(part.size())});
    }
  }
  return parts;
}

std::span<const Scalar> RankMoments::bring(const Optimizer::State& state,
                                           const NamedParameter& parameter) {
  const std::span<Scalar> mine = optimizer_.kept(state, parameter);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (!ranks_.first()) {
    if (!mine.empty()) {
      outgoing.push_back({.to = 0, .bytes = std::as_bytes(mine)});
    }
    ranks_.exchange(outgoing, incoming);
    return {};
  }
  all_.resize(static_cast<std::size_t>(parameter.shape.size()));
  for (const auto& [rank, first, count] : parts_of(parameter)) {
    const std::span<Scalar> place = std::span(all_).subspan(first, count);
    if (rank == 0) {
      std::ranges::copy(mine, place.begin());
    } else {
      incoming.push_back({.from = rank, .bytes = std::as_writable_bytes(place)});
    }
  }
  ranks_.exchange(outgoing, incoming);
  return all_;
}

void RankMoments::give(const Optimizer::State& state, const NamedParameter& parameter,
                       std::span<const Scalar> all) {
  const std::span<Scalar> mine = optimizer_.kept(state, parameter);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (!ranks_.first() && !mine.empty()) {
    incoming.push_back({.from = 0, .bytes = std::as_writable_bytes(mine)});
  }
  for (const auto& [rank, first, count] : parts_of(parameter)) {
    if (ranks_.first() && rank == 0) {
      std::ranges::copy(all.subspan(first, count), mine.begin());
    } else if (ranks_.first()) {
      outgoing.push_back({.to = rank, .bytes = std::as_bytes(all.subspan(first, count))});
    }
  }
  ranks_.exchange(outgoing, incoming);
}

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
