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

bool every_row_has_label(const Split& split, const std::vector<Index>& examples,
                         const Layout& layout) {
  if (!split.is_text()) {
    return !layout.one_sequence;
  }
  return std::ranges::all_of(
      examples, [&](Index number) { return split.windows.list[number].unlabelled == 0; });
}

// The rows from `first` on have the batch's latest labels.
void label_rows(Batch& batch, Index first) {
  for (Index row = first; !batch.labels.every_row && row < batch.input.rows(); ++row) {
    batch.labels.rows.push_back(row);
  }
}

void append_pair(const Example& example, const Layout& layout, Batch& batch) {
  const auto& [source, target] = example;
  append_prompt(source, layout, batch.context, batch.input);
  const Index first = batch.input.rows() - 1;
  append(batch.input.ids, target);
  close_sequence(batch.input, prefix_of(source, layout));
  append(batch.labels.ids, target);
  batch.labels.ids.push_back(end_id);
  label_rows(batch, first);
}

void append_window(const TokenText& text, const Window& window, Batch& batch) {
  const Index first = batch.input.rows() + window.unlabelled;
  batch.input.ids.push_back(window.opens ? begin_id : text[window.first - 1]);
  text.append_to(batch.input.ids, window.first, window.rows - 1);
  close_sequence(batch.context);
  close_sequence(batch.input);
  text.append_to(batch.labels.ids, window.first + window.unlabelled,
                 window.rows - window.unlabelled);
  label_rows(batch, first);
}

}  // namespace

ExampleRows example_rows(const Split& split, Index number, const Layout& layout) {
  if (split.is_text()) {
    const Window window = split.windows.list[number];
    return {.context = 0, .input = window.rows, .labels = window.rows - window.unlabelled};
  }
  const auto i = static_cast<std::size_t>(number);
  const Index source = std::ssize(split.examples[i].source) + 1;  // with a mark
  const Index labels = std::ssize(split.examples[i].target) + 1;
  return {.context = layout.one_sequence ? 0 : source,
          .input = layout.one_sequence ? source - 1 + labels : labels,
          .labels = labels};
}

Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  Batch batch;
  batch.examples.assign(examples.begin(), examples.end());
  batch.labels.every_row = every_row_has_label(split, examples, layout);
  for (const Index number : examples) {
    if (split.is_text()) {
      append_window(*split.windows.text, split.windows.list[number], batch);
    } else {
      append_pair(split.examples[static_cast<std::size_t>(number)], layout, batch);
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
