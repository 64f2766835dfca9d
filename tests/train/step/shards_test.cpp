// A batch cut into shards: an ordered partition, balanced, without empty shards.
#include "train/step/shards.hpp"

#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

struct Lengths {
  std::vector<Index> source;
  std::vector<Index> target;
};

// Every token has its own number, so that a lost or moved token is noticed.
Batch batch_of(const Lengths& lengths) {
  Batch batch;
  batch.context.segments = segments_of(lengths.source);
  batch.input.segments = segments_of(lengths.target);
  for (std::size_t i = 0; i < lengths.target.size(); ++i) {
    batch.input.segments.list[i].prefix = static_cast<Index>(i % 3);
  }
  const auto number = [](auto& list, Index size, int first) {
    list.resize(static_cast<std::size_t>(size));
    std::iota(list.begin(), list.end(), first);
  };
  number(batch.context.ids, row_count(batch.context.segments), 1000);
  number(batch.input.ids, row_count(batch.input.segments), 2000);
  number(batch.labels.ids, row_count(batch.input.segments), 3000);
  number(batch.context.types, row_count(batch.context.segments), 4000);
  number(batch.input.types, row_count(batch.input.segments), 5000);
  number(batch.examples, std::ssize(lengths.source), 50);
  return batch;
}

std::vector<Lengths> some_lengths() {
  std::vector<Lengths> result{{{3}, {2}},
                              {{3, 1, 4, 1, 5}, {2, 7, 1, 8, 2}},
                              {{40, 1, 1, 1}, {40, 1, 1, 1}},
                              {{1, 1, 1, 40}, {1, 1, 1, 40}},
                              {{5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}}};
  const Draws draws(1, "tests.shards", 0);
  Lengths random;
  for (std::uint64_t i = 0; i < 60; ++i) {
    random.source.push_back(1 + draw_below(draws, 2 * i, 30));
    random.target.push_back(1 + draw_below(draws, 2 * i + 1, 30));
  }
  result.push_back(random);
  return result;
}

Index rows(const Batch& batch) {
  return static_cast<Index>(batch.context.ids.size()) + batch.labels.count();
}

// Expects that the parts, joined again, are the batch, and checks the origin that each part stores.
void expect_parts(const Batch& batch, const PoolVector<Batch>& parts, RowsBefore before) {
  Batch whole;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const Batch& part : parts) {
    const auto source_row = static_cast<Index>(whole.context.ids.size());
    const Index target_row = whole.labels.count();
    EXPECT_EQ(part.context.segments.first_row, before.context + source_row);
    EXPECT_EQ(part.input.segments.first_row, before.input + target_row);
    for (Index i = 0; i < part.sequences(); ++i) {
      whole.context.segments.list.push_back(part.context.segments[i]);
      whole.context.segments.list.back().row += source_row;
      whole.input.segments.list.push_back(part.input.segments[i]);
      whole.input.segments.list.back().row += target_row;
    }
    append(whole.context.ids, part.context.ids);
    append(whole.input.ids, part.input.ids);
    append(whole.context.types, part.context.types);
    append(whole.input.types, part.input.types);
    append(whole.labels.ids, part.labels.ids);
    append(whole.examples, part.examples);
  }
  EXPECT_EQ(whole.context.ids, batch.context.ids);
  EXPECT_EQ(whole.input.ids, batch.input.ids);
  EXPECT_EQ(whole.context.types, batch.context.types);
  EXPECT_EQ(whole.input.types, batch.input.types);
  EXPECT_EQ(whole.labels.ids, batch.labels.ids);
  EXPECT_EQ(whole.examples, batch.examples);
  const auto numbers_of = [](const Segments& segments) {
    return mapped(segments.list, [](const Segment& one) {
      return std::array{one.row, one.rows, one.position, one.prefix};
    });
  };
  EXPECT_EQ(numbers_of(whole.context.segments), numbers_of(batch.context.segments));
  EXPECT_EQ(numbers_of(whole.input.segments), numbers_of(batch.input.segments));
}

// Sequences are never cut, so a shard may exceed its share by less than the longest sequence.
TEST(Shards, are_balanced_parts_of_the_whole_in_order) {
  for (const Lengths& lengths : some_lengths()) {
    Index longest = 0;
    for (std::size_t i = 0; i < lengths.source.size(); ++i) {
      longest = std::max(longest, lengths.source[i] + lengths.target[i]);
    }
    const Batch batch = batch_of(lengths);
    for (const Index shards : {1, 2, 3, 5, 8, 100}) {
      const RowsBefore before{.context = 7, .input = 9};
      const PoolVector<Batch> parts = cut_into_shards(batch, shards, before);
      expect_parts(batch, parts, before);
      EXPECT_LE(static_cast<Index>(parts.size()), shards);
      for (const Batch& part : parts) {
        EXPECT_GT(part.sequences(), 0);
        EXPECT_LE(rows(part), rows(batch) / shards + longest);
      }
    }
  }
  EXPECT_THAT(cut_into_shards(Batch(), 3), IsEmpty());
}

TEST(Shards, of_equal_sequences_are_equal) {
  const PoolVector<Batch> parts =
      cut_into_shards(batch_of({{2, 2, 2, 2, 2, 2}, {3, 3, 3, 3, 3, 3}}), 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_THAT(parts[0].examples, ElementsAre(50, 51));
  EXPECT_THAT(parts[1].examples, ElementsAre(52, 53));
  EXPECT_THAT(parts[2].examples, ElementsAre(54, 55));
}

// 45 sequences of 30 and 20 rows: 2,250 rows are closer to two pieces of 1,000 than to three.
TEST(Pieces, are_parts_of_a_shard_of_about_their_size) {
  const Batch batch =
      batch_of({.source = std::vector<Index>(45, 30), .target = std::vector<Index>(45, 20)});
  const RowsBefore before{.context = 7, .input = 9};
  const Batch shard = cut_into_shards(batch, 1, before)[0];
  const PoolVector<Batch> pieces = cut_into_parts(shard, 1000);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(rows(pieces[0]), 22 * 50);
  expect_parts(batch, pieces, before);

  const Batch small = batch_of({{700, 1}, {698, 1}});
  const PoolVector<Batch> itself = cut_into_parts(small, 1000);
  ASSERT_EQ(itself.size(), 1U);
  EXPECT_EQ(itself[0].context.ids, small.context.ids);
}

// Three sequences of 4, 2 and 3 rows. Rows 1, 5 and 6 have labels: the second sequence has one, on
// its last row.
TEST(Shards, take_the_labels_of_their_rows_along) {
  Batch batch = batch_of({{1, 1, 1}, {4, 2, 3}});
  batch.labels = {.every_row = false, .rows = {1, 5, 6}, .ids = {11, 12, 13}};
  const PoolVector<Batch> parts = cut_into_shards(batch, 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_THAT(parts[0].labels.rows, ElementsAre(1));
  EXPECT_THAT(parts[1].labels.rows, ElementsAre(1));
  EXPECT_THAT(parts[2].labels.rows, ElementsAre(0));
  EXPECT_THAT(parts[2].labels.ids, ElementsAre(13));
}

TEST(Shards, of_tokens_without_types_have_none) {
  Batch batch = batch_of({{1, 2}, {4, 2}});
  batch.input.types.clear();
  for (const Batch& part : cut_into_shards(batch, 2)) {
    EXPECT_FALSE(part.context.types.empty());
    EXPECT_THAT(part.input.types, IsEmpty());
  }
}

}}  // namespace tapehead
