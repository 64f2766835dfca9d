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

ExampleRows example_rows(const Split& split, Index number, const Layout& layout) {
  return tapehead::example_rows(split.examples[static_cast<std::size_t>(number)], layout);
}

// Cuts numbers, in their order, into batches of Batching::tokens.
std::vector<Numbers> cut(const Split& split, std::span<const Index> numbers, Index most_tokens,
                         const Layout& layout) {
  std::vector<Numbers> runs;
  ExampleRows sum;
  for (const Index number : numbers) {
    const auto [context, input] = example_rows(split, number, layout);
    sum = {sum.context + context, sum.input + input};
    if (runs.empty() || std::max(sum.context, sum.input) > most_tokens) {
      runs.emplace_back();
      sum = {context, input};
    }
    runs.back().push_back(number);
  }
  return runs;
}

void sort_by_length(const Split& split, Numbers& numbers, const Layout& layout) {
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const ExampleRows of_a = example_rows(split, a, layout);
    const ExampleRows of_b = example_rows(split, b, layout);
    return std::pair(of_a.input, of_a.context) < std::pair(of_b.input, of_b.context);
  });
}

void append(PoolVector<TokenId>& to, const std::vector<TokenId>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Appends a sequence of the last rows of `tokens`, which has no segment for them yet.
void close_sequence(Tokens& tokens, Index prefix = 0) {
  const PoolVector<Segment>& before = tokens.segments.list;
  const Index row = before.empty() ? 0 : before.back().row + before.back().rows;
  tokens.segments.list.push_back({.row = row, .rows = tokens.rows() - row, .prefix = prefix});
}

// Appends what a model reads of a source before it writes.
void append_prompt(const std::vector<TokenId>& source, const Layout& layout, Tokens& context,
                   Tokens& input) {
  append(layout.one_sequence ? input.ids : context.ids, source);
  if (!layout.one_sequence) {
    context.ids.push_back(end_id);
  }
  close_sequence(context);
  input.ids.push_back(begin_id);
}

Index prefix_of(const std::vector<TokenId>& source, const Layout& layout) {
  return layout.full_prefix ? std::ssize(source) : 0;
}

}  // namespace

ExampleRows example_rows(const Example& example, const Layout& layout) {
  const Index source = std::ssize(example.source);
  const Index target = std::ssize(example.target);
  return layout.one_sequence ? ExampleRows{.context = 0, .input = source + 1 + target}
                             : ExampleRows{.context = source + 1, .input = 1 + target};
}

Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  Batch batch;
  batch.examples.assign(examples.begin(), examples.end());
  batch.labels.every_row = !layout.one_sequence;
  for (const Index number : examples) {
    const auto& [source, target] = split.examples[static_cast<std::size_t>(number)];
    append_prompt(source, layout, batch.context, batch.input);
    const Index first = batch.input.rows() - 1;
    append(batch.input.ids, target);
    close_sequence(batch.input, prefix_of(source, layout));
    append(batch.labels.ids, target);
    batch.labels.ids.push_back(end_id);
    for (Index row = first; layout.one_sequence && row < batch.input.rows(); ++row) {
      batch.labels.rows.push_back(row);
    }
  }
  return batch;
}

Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  Prompts prompts;
  for (const Index number : examples) {
    const std::vector<TokenId>& source = split.examples[static_cast<std::size_t>(number)].source;
    append_prompt(source, layout, prompts.context, prompts.input);
    close_sequence(prompts.input, prefix_of(source, layout));
  }
  return prompts;
}

std::vector<std::vector<Index>> epoch_batches(const Split& split, const Batching& batching,
                                              std::uint64_t seed, Index epoch,
                                              const Layout& layout) {
  const auto count = static_cast<Index>(split.examples.size());
  const Numbers shuffled = draw_permutation(Draws(seed, "loader/examples", epoch), count);
  std::vector<Numbers> batches;
  for (Numbers& pool : cut(split, shuffled, pool_batches * batching.tokens, layout)) {
    if (batching.lengths == BatchLengths::alike) {
      sort_by_length(split, pool, layout);
    }
    std::ranges::move(cut(split, pool, batching.tokens, layout), std::back_inserter(batches));
  }
  std::vector<Numbers> epoch_order;
  for (const Index i :
       draw_permutation(Draws(seed, "loader/batches", epoch), static_cast<Index>(batches.size()))) {
    epoch_order.push_back(std::move(batches[static_cast<std::size_t>(i)]));
  }
  return epoch_order;
}

std::vector<std::vector<Index>> ordered_batches(const Split& split, Index batch_tokens,
                                                const Layout& layout) {
  Numbers numbers(split.examples.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  std::ranges::stable_sort(numbers, [&](Index a, Index b) {
    const ExampleRows of_a = example_rows(split, a, layout);
    const ExampleRows of_b = example_rows(split, b, layout);
    return std::max(of_a.context, of_a.input) > std::max(of_b.context, of_b.input);
  });
  return cut(split, numbers, batch_tokens, layout);
}

}  // namespace tapehead
