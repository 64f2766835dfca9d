#include "datasets/loader.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/random/draws.hpp"
#include "datasets/corpus/lanes.hpp"

namespace tapehead {

namespace {

// Batches are filled from pools with the tokens of this many batches. This is enough for batches in
// which lengths are similar, while the order between pools stays random.
constexpr Index pool_batches = 100;

using Numbers = std::vector<Index>;

// Cuts numbers, in their order, into parts of at most so many tokens (Batching::tokens).
std::vector<std::span<Index>> cut(const Split& split, std::span<Index> numbers, Index most_tokens,
                                  const Layout& layout) {
  std::vector<std::span<Index>> parts;
  ExampleRows sum;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const ExampleRows rows = example_rows(split, numbers[i], layout);
    sum.context += rows.context;
    sum.input += rows.input;
    if (i > begin && std::max(sum.context, sum.input) > most_tokens) {
      parts.push_back(numbers.subspan(begin, i - begin));
      begin = i;
      sum = rows;
    }
  }
  if (begin < numbers.size()) {
    parts.push_back(numbers.subspan(begin));
  }
  return parts;
}

void sort_by_length(const Split& split, std::span<Index> numbers, const Layout& layout) {
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const ExampleRows of_a = example_rows(split, a, layout);
    const ExampleRows of_b = example_rows(split, b, layout);
    return std::pair(of_a.input, of_a.context) < std::pair(of_b.input, of_b.context);
  });
}

void expect_long_lanes(const Split& split, Index lanes) {
  const auto& [text, windowing, list, masking, memory] = split.windows;
  if (text->size() / lanes <= windowing.context) {
    throw DataError(fmt::format(
        "training.memory: {} tokens in {} lanes are {} tokens a lane, not more than one window "
        "(task.context: {}); lower training.batch_tokens, which is the tokens of a window of each "
        "lane, or training.accumulate",
        text->size(), lanes, text->size() / lanes, windowing.context));
  }
}

}  // namespace

Index lanes_of_batch(Index batch_tokens, Index context) {
  return std::max<Index>(1, batch_tokens / context);
}

void expect_one_stream(const Split& split, std::string_view option) {
  const auto& [text, windowing, list, masking, memory] = split.windows;
  if (!windowing.stream && text->documents() > 1) {
    throw ConfigError(
        fmt::format("{}: a lane goes on from one document to the next, and the {} split has {} "
                    "documents; set task.stream: true",
                    option, split.name, text->documents()));
  }
}

Split in_lanes(const Split& split, Index windows, Index lanes, Index memory, Index head) {
  Split cut;
  cut.name = split.name;
  cut.windows = split.windows;
  cut.windows.memory = memory;
  cut.windows.list =
      lane_windows(*split.windows.text, windows, lanes, split.windows.windowing.context, head);
  return cut;
}

TrainingEpoch training_epoch(const Task& task, const Batching& batching, std::uint64_t seed,
                             Index epoch, const Layout& layout) {
  std::shared_ptr<const Split> split = task.training_split(epoch);
  if (batching.memory == 0) {
    auto batches = epoch_batches(*split, batching, seed, epoch, layout);
    return {.split = std::move(split), .batches = std::move(batches)};
  }
  const Index context = split->windows.windowing.context;
  const Index together = lanes_of_batch(batching.tokens, context);
  const Index all = together * batching.batches_of_step;
  expect_one_stream(*split, "training.memory");
  expect_long_lanes(*split, all);
  const Index windows = (split->windows.text->size() + context - 1) / context;
  const Index head = 1 + draw_below(Draws(seed, "loader/lanes", epoch), 0, context);
  auto lanes = std::make_shared<const Split>(in_lanes(*split, windows, all, batching.memory, head));
  auto batches = lane_batches(lanes->windows.list, lane_groups(all, together));
  return {.split = std::move(lanes), .batches = std::move(batches)};
}

std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch,
                                              const Layout& layout) {
  Numbers shuffled = draw_permutation(Draws(seed, "loader/examples", epoch), split.size());
  std::vector<std::span<Index>> parts;
  for (const std::span<Index> pool : cut(split, shuffled, pool_batches * batching.tokens, layout)) {
    if (batching.lengths == BatchLengths::alike) {
      sort_by_length(split, pool, layout);
    }
    std::ranges::copy(cut(split, pool, batching.tokens, layout), std::back_inserter(parts));
  }
  std::vector<Numbers> batches;
  for (const Index i : draw_permutation(Draws(seed, "loader/batches", epoch), std::ssize(parts))) {
    const std::span<Index> part = parts[static_cast<std::size_t>(i)];
    batches.emplace_back(part.begin(), part.end());
  }
  return batches;
}

std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens,
                                                const Layout& layout) {
  Numbers numbers(static_cast<std::size_t>(split.size()));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const ExampleRows of_a = example_rows(split, a, layout);
    const ExampleRows of_b = example_rows(split, b, layout);
    return std::max(of_a.context, of_a.input) > std::max(of_b.context, of_b.input);
  });
  std::vector<Numbers> batches;
  for (const std::span<Index> part : cut(split, numbers, batch_tokens, layout)) {
    batches.emplace_back(part.begin(), part.end());
  }
  return batches;
}

}  // namespace tapehead
