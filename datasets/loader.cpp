#include "datasets/loader.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "core/random/draws.hpp"

namespace tapehead {

namespace {

// Batches are filled from pools with the tokens of this many batches. This is enough for batches in
// which lengths are similar, while the order between pools stays random.
constexpr Index pool_batches = 100;

using Numbers = std::vector<Index>;

struct Lengths {
  Index source;
  Index target;
};

// With one mark each: the end mark of the source, and the begin or end mark of the target.
Lengths lengths_of(const Split& split, Index number) {
  const Example& example = split.examples[static_cast<std::size_t>(number)];
  return {static_cast<Index>(example.source.size()) + 1,
          static_cast<Index>(example.target.size()) + 1};
}

// Cuts numbers, in their order, into batches of Batching::tokens.
std::vector<Numbers> cut(const Split& split, std::span<const Index> numbers, Index most_tokens) {
  std::vector<Numbers> runs;
  Lengths sum{0, 0};
  for (const Index number : numbers) {
    const auto [source, target] = lengths_of(split, number);
    sum = {sum.source + source, sum.target + target};
    if (runs.empty() || std::max(sum.source, sum.target) > most_tokens) {
      runs.emplace_back();
      sum = {source, target};
    }
    runs.back().push_back(number);
  }
  return runs;
}

void sort_by_length(const Split& split, Numbers& numbers) {
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const Lengths of_a = lengths_of(split, a);
    const Lengths of_b = lengths_of(split, b);
    return std::pair(of_a.target, of_a.source) < std::pair(of_b.target, of_b.source);
  });
}

}  // namespace

Batch make_batch(const Split& split, const std::vector<Index>& examples) {
  Batch batch;
  batch.examples.assign(examples.begin(), examples.end());
  std::vector<Index> source_lengths;
  std::vector<Index> target_lengths;
  for (const Index number : examples) {
    const auto& [source, target] = split.examples[static_cast<std::size_t>(number)];
    batch.context.ids.insert(batch.context.ids.end(), source.begin(), source.end());
    batch.context.ids.push_back(end_id);
    batch.input.ids.push_back(begin_id);
    batch.input.ids.insert(batch.input.ids.end(), target.begin(), target.end());
    batch.labels.ids.insert(batch.labels.ids.end(), target.begin(), target.end());
    batch.labels.ids.push_back(end_id);
    source_lengths.push_back(static_cast<Index>(source.size()) + 1);
    target_lengths.push_back(static_cast<Index>(target.size()) + 1);
  }
  batch.context.segments = segments_of(source_lengths);
  batch.input.segments = segments_of(target_lengths);
  return batch;
}

std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch) {
  const auto count = static_cast<Index>(split.examples.size());
  const Numbers shuffled = draw_permutation(Draws(seed, "loader/examples", epoch), count);
  std::vector<Numbers> batches;
  for (Numbers& pool : cut(split, shuffled, pool_batches * batching.tokens)) {
    if (batching.lengths == BatchLengths::alike) {
      sort_by_length(split, pool);
    }
    std::ranges::move(cut(split, pool, batching.tokens), std::back_inserter(batches));
  }
  std::vector<Numbers> epoch_order;
  for (const Index i :
       draw_permutation(Draws(seed, "loader/batches", epoch), static_cast<Index>(batches.size()))) {
    epoch_order.push_back(std::move(batches[static_cast<std::size_t>(i)]));
  }
  return epoch_order;
}

std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens) {
  Numbers numbers(split.examples.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const Lengths of_a = lengths_of(split, a);
    const Lengths of_b = lengths_of(split, b);
    return std::max(of_a.source, of_a.target) > std::max(of_b.source, of_b.target);
  });
  return cut(split, numbers, batch_tokens);
}

}  // namespace tapehead
