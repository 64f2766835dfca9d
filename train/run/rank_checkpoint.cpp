#include "train/run/rank_checkpoint.hpp"

#include "core/random/draws.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Moves the state to rank 0, which writes checkpoints, or from rank 0 to all ranks. `all`: on rank
// 0, all numbers of the parameter in this state.
void move_moment(const Optimizer& optimizer, const Moment& moment, std::span<Scalar> all,
                 bool to_first, Ranks& ranks) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  const auto add = [&](Index other, std::span<Scalar> numbers, bool sends) {
    if (sends && !numbers.empty()) {
      outgoing.push_back({.to = other, .bytes = std::as_bytes(numbers)});
    } else if (!numbers.empty()) {
      incoming.push_back({.from = other, .bytes = std::as_writable_bytes(numbers)});
    }
  };
  const std::span<Scalar> mine = optimizer.kept(moment.state, moment.parameter);
  if (!ranks.first()) {
    add(0, mine, to_first);
  }
  const Slice whole = slice_of(moment.parameter);
  for (Index rank = 0; ranks.first() && rank < ranks.count(); ++rank) {
    const Slice part = whole.overlap(optimizer.exchange().slice_of(rank));
    const auto first = static_cast<std::size_t>(part.size() > 0 ? part.begin - whole.begin : 0);
    const std::span<Scalar> place = all.subspan(first, static_cast<std::size_t>(part.size()));
    if (rank > 0) {
      add(rank, place, !to_first);
    } else if (to_first) {
      std::ranges::copy(mine, place.begin());
    } else {
      std::ranges::copy(place, mine.begin());
    }
  }
  ranks.exchange(outgoing, incoming);
}

}  // namespace

EntryBytes entry_bytes(const TrainingState& training, Ranks& ranks) {
  if (ranks.count() == 1) {
    return &TensorEntry::bytes;
  }
  return [&optimizer = training.optimizer, &ranks, all = std::vector<Scalar>(),
          moments = moments_of(training.store, training.optimizer)](
             const TensorEntry& entry) mutable -> std::span<const std::byte> {
    const auto moment = std::ranges::find(moments, entry.name, &Moment::name);
    if (moment == moments.end()) {
      return entry.bytes;
    }
    all.resize(static_cast<std::size_t>(moment->parameter.shape.size()));
    move_moment(optimizer, *moment, all, true, ranks);
    return std::as_bytes(std::span(all));
  };
}

void share_training(const TensorFile* checkpoint, const TrainingState& training,
                    TrainingPosition& position, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto& [store, optimizer, memory] = training;
  share_weights(store, ranks);
  position.measure = text_of_first(ranks, position.measure);
  for (Index* number : {&position.step, &position.epoch, &position.batch, &position.evaluations,
                        &position.best_evaluation}) {
    *number = value_of_first(ranks, *number);
  }
  position.batching = value_of_first(ranks, position.batching);
  position.best = value_of_first(ranks, position.best);
  optimizer.set_steps(position.step);
  if (position.step == 0) {
    return;
  }
  if (memory != nullptr) {
    copy_from_first(ranks, std::as_writable_bytes(memory->committed().values()));
  }
  std::vector<Scalar> numbers;
  for (const Moment& moment : moments_of(store, optimizer)) {
    numbers.resize(static_cast<std::size_t>(moment.parameter.shape.size()));
    if (ranks.first()) {
      copy_values(checkpoint->entry(moment.name), std::span(numbers));
    }
    move_moment(optimizer, moment, numbers, false, ranks);
  }
}

void share_weights(ParameterStore& store, Ranks& ranks) {
  copy_from_first(ranks, std::as_writable_bytes(store.values().values()));
}

void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks) {
  if (ranks.count() == 1) {
    return;
  }
  const auto bytes = std::as_bytes(store.values().values());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::vector<std::uint64_t> hashes = share_values(ranks, Hash().add(text).value());
  std::vector<std::string> differing;
  for (std::size_t rank = 1; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes.front()) {
      differing.push_back(ranks.name(static_cast<Index>(rank)));
    }
  }
  if (!differing.empty()) {
    throw RankError(
        "step {}: {} has other weights than {}, although all ranks made the same steps: the memory "
        "or processor of a rank, or the network, is not reliable; earlier checkpoints are "
        "unchanged",
        step, join(differing, ", "), ranks.name(0));
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
