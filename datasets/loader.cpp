#include "datasets/loader.hpp"

namespace tapehead {

namespace {

// Batches are filled from pools of this many batches. Such a pool is large enough for batches of
// similar lengths, and the order of the pools stays random.
constexpr Index pool_batches = 100;

// Keeps the lengths of an example, since Source::lengths may have to search.
struct Sized {
  Index number;
  SequenceLengths rows;
};

std::vector<Sized> with_rows(const Source& source, const auto& numbers) {
  return mapped(numbers, [&](Index number) {
    return Sized{.number = number, .rows = source.lengths(number)};
  });
}

// Cuts examples, in their order, into parts of at most `most_tokens` (Batching::tokens).
std::vector<std::span<Sized>> cut(std::span<Sized> examples, Index most_tokens) {
  std::vector<std::span<Sized>> parts;
  SequenceLengths sum;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const SequenceLengths& rows = examples[i].rows;
    sum.context += rows.context;
    sum.input += rows.input;
    if (i > begin && sum.longer() > most_tokens) {
      parts.push_back(examples.subspan(begin, i - begin));
      begin = i;
      sum = rows;
    }
  }
  if (begin < examples.size()) {
    parts.push_back(examples.subspan(begin));
  }
  return parts;
}

std::vector<Index> numbers_of(std::span<const Sized> examples) {
  return mapped(examples, &Sized::number);
}

}  // namespace

Index lanes_of_batch(Index batch_tokens, Index context) {
  return std::max<Index>(1, batch_tokens / context);
}

TrainingEpoch training_epoch(const Task& task, const Batching& batching, std::uint64_t seed,
                             Index epoch) {
  if (batching.memory == 0) {
    std::shared_ptr<const Source> source = task.training(epoch);
    auto batches = epoch_batches(*source, batching, seed, epoch);
    return {.source = std::move(source), .batches = std::move(batches)};
  }
  const RunningText& text = task.split("train").text;
  const Index context = text.windowing.context;
  const Index together = lanes_of_batch(batching.tokens, context);
  const Index all = together * batching.batches_of_step;
  expect_one_stream(text, "training.memory", "train");
  const Index tokens = text.tokens->size();
  if (tokens / all <= context) {
    throw DataError(
        "training.memory: {} tokens in {} lanes are {} tokens per lane, but a lane must be longer "
        "than one window (task.context: {}); lower training.batch_tokens (one window of each lane) "
        "or training.accumulate",
        tokens, all, tokens / all, context);
  }
  const Index windows = (tokens + context - 1) / context;
  const Index head = 1 + draw_below(Draws(seed, "loader/lanes", epoch), 0, context);
  LaneWindows lanes = in_lanes(text, windows, all, batching.memory, head);
  auto batches = lane_batches(lanes.list, lane_groups(all, together));
  return {.source = std::move(lanes.source), .batches = std::move(batches)};
}

std::vector<std::vector<Index>> epoch_batches(const Source& source, const Batching& batching,
                                              std::uint64_t seed, Index epoch) {
  std::vector<Sized> shuffled =
      with_rows(source, draw_permutation(Draws(seed, "loader/examples", epoch), source.size()));
  std::vector<std::span<Sized>> parts;
  for (const std::span<Sized> pool : cut(shuffled, pool_batches * batching.tokens)) {
    if (batching.lengths == BatchLengths::alike) {
      std::ranges::stable_sort(pool, {}, [](const Sized& example) {
        return std::pair(example.rows.input, example.rows.context);
      });
    }
    std::ranges::copy(cut(pool, batching.tokens), std::back_inserter(parts));
  }
  return mapped(draw_permutation(Draws(seed, "loader/batches", epoch), std::ssize(parts)),
                [&](Index i) { return numbers_of(parts[static_cast<std::size_t>(i)]); });
}

std::vector<std::vector<Index>> ordered_batches(const Source& source, Index batch_tokens) {
  std::vector<Sized> examples = with_rows(source, numbers_below(source.size()));
  std::ranges::stable_sort(examples, std::greater<>(),
                           [](const Sized& example) { return example.rows.longer(); });
  return mapped(cut(examples, batch_tokens), numbers_of);
}

}  // namespace tapehead
