// The loader: batches within their budget hold every example once, in an order by seed and epoch.
#include "datasets/loader.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index batch_tokens = 50;

// 3000 examples: sources of 0 to 16 tokens, targets of 0 to 10, and one larger than any budget.
Split uneven_split() {
  Examples pairs;
  for (std::size_t i = 0; i < 3000; ++i) {
    pairs.push_back({std::vector<TokenId>(i % 17, 3), std::vector<TokenId>((i * 7) % 11, 4)});
  }
  pairs.push_back({std::vector<TokenId>(2, 3), std::vector<TokenId>(60, 4)});
  return split_of_pairs(std::move(pairs));
}

// The tokens of one side of a batch, with end marks.
template <class Numbers>
Index tokens_of(const Split& split, const Numbers& batch, std::vector<TokenId> Example::* side) {
  Index sum = 0;
  for (const Index i : batch) {
    sum += std::ssize(example_of(split, i).*side) + 1;
  }
  return sum;
}

void expect_each_once_within_budget(const Split& split,
                                    const std::vector<std::vector<Index>>& batches) {
  std::vector<Index> seen;
  for (const auto& batch : batches) {
    ASSERT_FALSE(batch.empty());
    if (batch.size() > 1) {
      EXPECT_LE(tokens_of(split, batch, &Example::source), batch_tokens);
      EXPECT_LE(tokens_of(split, batch, &Example::target), batch_tokens);
    }
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::ranges::sort(seen);
  EXPECT_TRUE(std::ranges::equal(seen, std::views::iota(Index{0}, split.size())));
}

struct SpreadOfLengths {
  BatchLengths lengths;
  double least_spread, most_spread;
};

// Targets have lengths 0 to 10; a batch of mixed lengths has about five examples.
TEST(EpochBatches, hold_every_example_once_in_an_order_by_seed_and_epoch) {
  const Split split = uneven_split();
  const auto all = std::views::iota(Index{0}, split.size());
  const Index least =
      std::max(tokens_of(split, all, &Example::source), tokens_of(split, all, &Example::target)) /
      batch_tokens;
  for (const auto& [lengths, least_spread, most_spread] :
       {SpreadOfLengths{BatchLengths::alike, -1, 1}, {BatchLengths::mixed, 5, 10}}) {
    SCOPED_TRACE(name_of(lengths));
    const Batching batching{.tokens = batch_tokens, .lengths = lengths};
    const auto batches = [&](std::uint64_t seed, Index epoch) {
      return epoch_batches(*split.source, batching, seed, epoch);
    };
    auto first = batches(1, 0);
    auto second = batches(1, 1);
    expect_each_once_within_budget(split, first);
    expect_each_once_within_budget(split, second);
    // Source and target have different mean lengths, so often only one of them fills up.
    EXPECT_LT(static_cast<double>(first.size()), 1.4 * static_cast<double>(least));
    double spread = 0;  // the longest target of a batch minus the shortest
    for (const auto& batch : first) {
      const auto [shortest, longest] =
          std::ranges::minmax(batch | std::views::transform([&](Index i) {
                                return example_of(split, i).target.size();
                              }));
      spread += static_cast<double>(longest - shortest);
    }
    EXPECT_THAT(spread / static_cast<double>(first.size()),
                AllOf(Gt(least_spread), Lt(most_spread)));
    EXPECT_EQ(batches(1, 0), first);
    EXPECT_NE(batches(2, 0), first);
    EXPECT_NE(second, first);
    std::ranges::sort(first);
    std::ranges::sort(second);
    EXPECT_NE(second, first) << "composed anew";
    EXPECT_THAT(epoch_batches(*pair_source(Examples(), {}), batching, 1, 0), IsEmpty());
  }
}

// Batches of similar lengths come in random order. The next is longer with probability 10 / 22 (11
// lengths, and equal ones do not count).
TEST(EpochBatchesAlike, follow_in_no_order_of_length) {
  const Split split = uneven_split();
  std::vector<std::size_t> lengths;
  for (const auto& batch : epoch_batches(*split.source, {.tokens = batch_tokens}, 1, 0)) {
    lengths.push_back(example_of(split, batch[0]).target.size());
  }
  double longer = 0;
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    longer += lengths[i - 1] < lengths[i] ? 1 : 0;
  }
  EXPECT_NEAR(longer / static_cast<double>(lengths.size() - 1), 0.45, 0.1);
}

TEST(OrderedBatches, hold_every_example_once_and_begin_with_the_longest) {
  const Split split = uneven_split();
  const auto batches = ordered_batches(*split.source, batch_tokens);
  expect_each_once_within_budget(split, batches);
  EXPECT_THAT(batches[0], ElementsAre(3000));
  Index previous = 100;
  for (const Index i : batches | std::views::join) {
    const Index longer = std::max(tokens_of(split, std::array{i}, &Example::source),
                                  tokens_of(split, std::array{i}, &Example::target));
    EXPECT_LE(longer, previous);
    previous = longer;
  }
  EXPECT_THAT(ordered_batches(*pair_source(Examples(), {}), batch_tokens), IsEmpty());
}

const Examples three_pairs{{{5, 6}, {7}}, {{}, {}}, {{8}, {9, 10, 11}}};

std::vector<Index> numbers_of(const Segments& segments, Index Segment::* member) {
  std::vector<Index> numbers;
  std::ranges::transform(segments.list, std::back_inserter(numbers), member);
  return numbers;
}

TEST(Batch, of_one_sequence_has_labels_from_the_begin_mark_on) {
  const Layout layout{.input = InputRows::source_and_target, .full_prefix = true};
  const auto source = pair_source(three_pairs, layout);
  const Batch batch = pack(*source, {2, 0, 1});
  EXPECT_THAT(batch.context.ids, IsEmpty());
  EXPECT_THAT(batch.input.ids, ElementsAre(8, begin_id, 9, 10, 11, 5, 6, begin_id, 7, begin_id));
  EXPECT_FALSE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.rows, ElementsAre(1, 2, 3, 4, 7, 8, 9));
  EXPECT_THAT(batch.labels.ids, ElementsAre(9, 10, 11, end_id, 7, end_id, end_id));
  expect_whole(batch);
  EXPECT_THAT(numbers_of(batch.input.segments, &Segment::rows), ElementsAre(5, 4, 1));
  EXPECT_THAT(numbers_of(batch.input.segments, &Segment::prefix), ElementsAre(1, 2, 0));
  const Batch causal =
      pack(*pair_source(three_pairs, {.input = InputRows::source_and_target}), {2, 0, 1});
  EXPECT_THAT(numbers_of(causal.input.segments, &Segment::prefix), ElementsAre(0, 0, 0));

  const Prompts prompts = pack_prompts(*source, std::vector<Index>{2, 0, 1});
  EXPECT_THAT(prompts.input.ids, ElementsAre(8, begin_id, 5, 6, begin_id, begin_id));
  EXPECT_THAT(numbers_of(prompts.input.segments, &Segment::rows), ElementsAre(2, 3, 1));
  EXPECT_THAT(numbers_of(prompts.input.segments, &Segment::prefix), ElementsAre(1, 2, 0));
  EXPECT_THAT(numbers_of(prompts.context.segments, &Segment::rows), ElementsAre(0, 0, 0));
  const auto long_ones =
      pair_source(Examples(7, {{3, 4, 5}, {6}}), {.input = InputRows::source_and_target});
  for (const auto& numbers : ordered_batches(*long_ones, 11)) {
    EXPECT_LE(pack(*long_ones, numbers).input.rows(), 11) << "its source counts, too";
    EXPECT_LE(numbers.size(), 2U);
  }
}

TEST(Batch, marks_are_added_and_targets_shifted) {
  const Batch batch = pack(*pair_source(three_pairs, {}), {2, 0, 1});
  const Segments& context = batch.context.segments;
  const Segments& input = batch.input.segments;
  EXPECT_THAT(batch.context.ids, ElementsAre(8, end_id, 5, 6, end_id, end_id));
  EXPECT_THAT(batch.input.ids, ElementsAre(begin_id, 9, 10, 11, begin_id, 7, begin_id));
  EXPECT_THAT(batch.labels.ids, ElementsAre(9, 10, 11, end_id, 7, end_id, end_id));
  EXPECT_THAT(batch.examples, ElementsAre(2, 0, 1));
  EXPECT_EQ(batch.labels.count(), 7);
  EXPECT_EQ(batch.sequences(), 3);
  EXPECT_THAT(numbers_of(context, &Segment::row), ElementsAre(0, 2, 5));
  EXPECT_THAT(numbers_of(context, &Segment::rows), ElementsAre(2, 3, 1));
  EXPECT_THAT(numbers_of(context, &Segment::position), Each(0));
  EXPECT_THAT(numbers_of(input, &Segment::row), ElementsAre(0, 4, 6));
  EXPECT_THAT(numbers_of(input, &Segment::rows), ElementsAre(4, 2, 1));
  EXPECT_THAT(numbers_of(input, &Segment::position), Each(0));
}

// For any text length and any start of the lanes: two windows of a lane in one step would both
// continue from the same window.
TEST(LaneEpochs, have_each_lane_once_in_a_step) {
  constexpr Index context = 8;
  for (Index tokens = 100; tokens < 140; ++tokens) {
    const std::vector<TokenId> document(static_cast<std::size_t>(tokens - 1), 7);
    const auto text = std::make_shared<const TokenText>(text_of_documents({document}));
    Task task;
    task.splits.push_back(
        {.name = "train", .text = {.tokens = text, .windowing = {.context = context}}});
    for (const std::size_t accumulate : {1U, 2U, 3U}) {
      const Batching batching{
          .tokens = 2 * context, .memory = 4, .batches_of_step = static_cast<Index>(accumulate)};
      for (Index epoch = 0; epoch < 12; ++epoch) {
        SCOPED_TRACE(fmt::format("{} tokens, epoch {}", tokens, epoch));
        const auto [source, batches] = training_epoch(task, batching, 1, epoch);
        std::vector<Index> next(2 * accumulate, 0);
        std::set<Index> lanes;  // of the step
        for (std::size_t k = 0; k < batches.size(); ++k) {
          if (k % accumulate == 0) {
            lanes.clear();
          }
          for (const Index number : batches[k]) {
            const Sequence window = source->at(number);
            EXPECT_TRUE(lanes.insert(window.lane).second);
            EXPECT_EQ(window.position, next[static_cast<std::size_t>(window.lane)]);
            next[static_cast<std::size_t>(window.lane)] += window.input.size();
          }
        }
        EXPECT_EQ(std::accumulate(next.begin(), next.end(), Index{0}), tokens);
      }
    }
  }
}

}}  // namespace tapehead
