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
    const std::size_t source = i % 17;
    const std::size_t target = (i * 7) % 11;
    pairs.push_back({std::vector<TokenId>(source, 3), std::vector<TokenId>(target, 4)});
  }
  pairs.push_back({std::vector<TokenId>(2, 3), std::vector<TokenId>(60, 4)});
  return split_of_pairs(std::move(pairs));
}

Index source_tokens(const Split& split, const std::vector<Index>& batch) {
  Index sum = 0;
  for (const Index i : batch) {
    sum += static_cast<Index>(example_of(split, static_cast<std::size_t>(i)).source.size()) + 1;
  }
  return sum;
}

Index target_tokens(const Split& split, const std::vector<Index>& batch) {
  Index sum = 0;
  for (const Index i : batch) {
    sum += static_cast<Index>(example_of(split, static_cast<std::size_t>(i)).target.size()) + 1;
  }
  return sum;
}

void expect_each_once_within_budget(const Split& split,
                                    const std::vector<std::vector<Index>>& batches) {
  std::vector<Index> seen;
  for (const auto& batch : batches) {
    ASSERT_FALSE(batch.empty());
    if (batch.size() > 1) {
      EXPECT_LE(source_tokens(split, batch), batch_tokens);
      EXPECT_LE(target_tokens(split, batch), batch_tokens);
    }
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<Index> all(static_cast<std::size_t>(split.size()));
  std::iota(all.begin(), all.end(), Index{0});
  EXPECT_EQ(seen, all);
}

class EpochBatches : public TestWithParam<BatchLengths> {
 protected:
  std::vector<std::vector<Index>> batches(std::uint64_t seed, Index epoch) const {
    return epoch_batches(*split.source, {.tokens = batch_tokens, .lengths = GetParam()}, seed,
                         epoch);
  }
  double target_length(Index example) const {
    return static_cast<double>(example_of(split, example).target.size());
  }
  // The mean over batches of the longest target length minus the shortest.
  double mean_spread() const {
    double spread = 0;
    const auto all = batches(1, 0);
    for (const auto& batch : all) {
      const auto [least, most] = std::ranges::minmax(
          batch | std::views::transform([this](Index i) { return target_length(i); }));
      spread += most - least;
    }
    return spread / static_cast<double>(all.size());
  }

  const Split split = uneven_split();
};

INSTANTIATE_TEST_SUITE_P(OfLengths, EpochBatches, Values(BatchLengths::alike, BatchLengths::mixed),
                         [](const auto& test) {
                           const auto kind = static_cast<std::size_t>(test.param);
                           return std::string(EnumNames<BatchLengths>::names[kind]);
                         });

TEST_P(EpochBatches, hold_every_example_once) {
  expect_each_once_within_budget(split, batches(1, 0));
  expect_each_once_within_budget(split, batches(1, 1));
}

TEST(OrderedBatches, hold_every_example_once) {
  const Split split = uneven_split();
  expect_each_once_within_budget(split, ordered_batches(*split.source, batch_tokens));
}

TEST_P(EpochBatches, are_nearly_full) {
  std::vector<Index> all(static_cast<std::size_t>(split.size()));
  std::iota(all.begin(), all.end(), Index{0});
  const Index least = std::max(source_tokens(split, all), target_tokens(split, all)) / batch_tokens;
  // Source and target have different mean lengths, so often only one of them fills up.
  EXPECT_LT(static_cast<double>(batches(1, 0).size()), 1.4 * static_cast<double>(least));
}

TEST_P(EpochBatches, are_decided_by_seed_and_epoch) {
  EXPECT_EQ(batches(1, 0), batches(1, 0));
  EXPECT_NE(batches(1, 0), batches(1, 1));
  EXPECT_NE(batches(1, 0), batches(2, 0));
}

TEST_P(EpochBatches, are_composed_anew_in_each_epoch) {
  auto first = batches(1, 0);
  auto second = batches(1, 1);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_NE(first, second);
}

// Lengths are 0 to 10; a batch of mixed lengths has about five examples.
TEST_P(EpochBatches, are_of_like_or_of_all_lengths) {
  if (GetParam() == BatchLengths::alike) {
    EXPECT_LT(mean_spread(), 1.0);
  } else {
    EXPECT_GT(mean_spread(), 5.0);
  }
}

// Batches of similar lengths come in random order. The next is longer with probability 10 / 22 (11
// lengths, and equal ones do not count).
TEST(EpochBatchesAlike, follow_in_no_order_of_length) {
  const Split split = uneven_split();
  const auto all = epoch_batches(*split.source, {.tokens = batch_tokens}, 1, 0);
  const auto target_length = [&](Index example) {
    return example_of(split, example).target.size();
  };
  int shorter_than_next = 0;
  for (std::size_t b = 1; b < all.size(); ++b) {
    shorter_than_next += target_length(all[b - 1][0]) < target_length(all[b][0]) ? 1 : 0;
  }
  EXPECT_NEAR(shorter_than_next / static_cast<double>(all.size() - 1), 0.45, 0.1);
}

TEST_P(EpochBatches, of_no_examples_are_none) {
  EXPECT_TRUE(epoch_batches(*pair_source(Examples(), {}),
                            {.tokens = batch_tokens, .lengths = GetParam()}, 1, 0)
                  .empty());
}

TEST(OrderedBatches, begin_with_the_longest) {
  const Split split = uneven_split();
  const auto batches = ordered_batches(*split.source, batch_tokens);
  EXPECT_THAT(batches[0], ElementsAre(3000));
  Index previous = 100;
  for (const auto& batch : batches) {
    for (const Index i : batch) {
      const Index longer = std::max(source_tokens(split, {i}), target_tokens(split, {i}));
      EXPECT_LE(longer, previous);
      previous = longer;
    }
  }
}

TEST(OrderedBatches, of_no_examples_are_none) {
  EXPECT_TRUE(ordered_batches(*pair_source(Examples(), {}), batch_tokens).empty());
}

TEST(Batch, of_one_sequence_has_labels_from_the_begin_mark_on) {
  const Examples pairs{{{5, 6}, {7}}, {{}, {}}, {{8}, {9, 10, 11}}};
  const Layout layout{.input = InputRows::source_and_target, .full_prefix = true};
  const auto source = pair_source(pairs, layout);
  const Batch batch = pack(*source, {2, 0, 1});
  EXPECT_THAT(batch.context.ids, IsEmpty());
  EXPECT_THAT(batch.input.ids, ElementsAre(8, begin_id, 9, 10, 11, 5, 6, begin_id, 7, begin_id));
  EXPECT_FALSE(batch.labels.every_row);
  EXPECT_THAT(batch.labels.rows, ElementsAre(1, 2, 3, 4, 7, 8, 9));
  EXPECT_THAT(batch.labels.ids, ElementsAre(9, 10, 11, end_id, 7, end_id, end_id));
  expect_whole(batch);
  const auto of = [](const Segments& segments, auto member) {
    std::vector<Index> numbers;
    std::ranges::transform(segments.list, std::back_inserter(numbers), member);
    return numbers;
  };
  EXPECT_THAT(of(batch.input.segments, &Segment::rows), ElementsAre(5, 4, 1));
  EXPECT_THAT(of(batch.input.segments, &Segment::prefix), ElementsAre(1, 2, 0));
  const Batch causal =
      pack(*pair_source(pairs, {.input = InputRows::source_and_target}), {2, 0, 1});
  EXPECT_THAT(of(causal.input.segments, &Segment::prefix), ElementsAre(0, 0, 0));

  const Prompts prompts = pack_prompts(*source, std::vector<Index>{2, 0, 1});
  EXPECT_THAT(prompts.input.ids, ElementsAre(8, begin_id, 5, 6, begin_id, begin_id));
  EXPECT_THAT(of(prompts.input.segments, &Segment::rows), ElementsAre(2, 3, 1));
  EXPECT_THAT(of(prompts.input.segments, &Segment::prefix), ElementsAre(1, 2, 0));
  EXPECT_THAT(of(prompts.context.segments, &Segment::rows), ElementsAre(0, 0, 0));
}

TEST(Batches, of_one_sequence_count_its_source_too) {
  const auto source =
      pair_source(Examples(7, {{3, 4, 5}, {6}}), {.input = InputRows::source_and_target});
  for (const auto& batch : ordered_batches(*source, 11)) {
    EXPECT_LE(pack(*source, batch).input.rows(), 11);
    EXPECT_LE(batch.size(), 2U);
  }
}

TEST(Batch, marks_are_added_and_targets_shifted) {
  const auto source = pair_source(Examples{{{5, 6}, {7}}, {{}, {}}, {{8}, {9, 10, 11}}}, {});
  const Batch batch = pack(*source, {2, 0, 1});
  EXPECT_THAT(batch.context.ids, ElementsAre(8, end_id, 5, 6, end_id, end_id));
  EXPECT_THAT(batch.input.ids, ElementsAre(begin_id, 9, 10, 11, begin_id, 7, begin_id));
  EXPECT_THAT(batch.labels.ids, ElementsAre(9, 10, 11, end_id, 7, end_id, end_id));
  EXPECT_THAT(batch.examples, ElementsAre(2, 0, 1));
  EXPECT_EQ(batch.labels.count(), 7);
  EXPECT_EQ(batch.sequences(), 3);
  const auto rows = [](const Segments& segments) {
    std::vector<std::pair<Index, Index>> result;
    for (const Segment& segment : segments.list) {
      EXPECT_EQ(segment.position, 0);
      result.emplace_back(segment.row, segment.rows);
    }
    return result;
  };
  EXPECT_THAT(rows(batch.context.segments),
              ElementsAre(std::pair(0, 2), std::pair(2, 3), std::pair(5, 1)));
  EXPECT_THAT(rows(batch.input.segments),
              ElementsAre(std::pair(0, 4), std::pair(4, 2), std::pair(6, 1)));
}

// A text task with `tokens` tokens in one document.
Task text_task_of(Index tokens, Index context) {
  TokenTextWriter writer(100);
  writer.add(std::vector<TokenId>(static_cast<std::size_t>(tokens - 1), 7));
  writer.end_document();
  const auto text = std::make_shared<const TokenText>(writer.finish({}));
  Task task;
  task.splits.push_back(
      {.name = "train", .text = {.tokens = text, .windowing = {.context = context}}});
  return task;
}

// For any text length and any start of the lanes: two windows of a lane in one step would both
// continue from the same window.
TEST(LaneEpochs, have_each_lane_once_in_a_step) {
  constexpr Index context = 8;
  for (Index tokens = 100; tokens < 140; ++tokens) {
    const Task task = text_task_of(tokens, context);
    for (const Index accumulate : {1, 2, 3}) {
      const Batching batching{.tokens = 2 * context, .memory = 4, .batches_of_step = accumulate};
      for (Index epoch = 0; epoch < 12; ++epoch) {
        const auto [source, batches] = training_epoch(task, batching, 1, epoch);
        std::vector<Index> next(static_cast<std::size_t>(2 * accumulate), 0);
        for (std::size_t first = 0; first < batches.size();
             first += static_cast<std::size_t>(accumulate)) {
          std::vector<Index> lanes;
          for (std::size_t k = first;
               k < std::min(batches.size(), first + static_cast<std::size_t>(accumulate)); ++k) {
            for (const Index number : batches[k]) {
              const Sequence window = source->at(number);
              lanes.push_back(window.lane);
              EXPECT_EQ(window.position, next[static_cast<std::size_t>(window.lane)]);
              next[static_cast<std::size_t>(window.lane)] += window.input.size();
            }
          }
          std::ranges::sort(lanes);
          EXPECT_EQ(std::ranges::adjacent_find(lanes), lanes.end())
              << tokens << " tokens, epoch " << epoch;
        }
        EXPECT_EQ(std::accumulate(next.begin(), next.end(), Index{0}), tokens);
      }
    }
  }
}

}}  // namespace tapehead
