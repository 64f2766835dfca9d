// Segments: rows and positions of ragged batches, with empty sequences, gaps and caches.
#include "core/sequence/batch.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Segments, lie_end_to_end_from_position_zero) {
  const Segments segments = segments_of({3, 1, 2});
  ASSERT_EQ(segments.count(), 3);
  std::vector<Index> rows;
  std::vector<Index> lengths;
  for (Index i = 0; i < segments.count(); ++i) {
    rows.push_back(segments[i].row);
    lengths.push_back(segments[i].rows);
    EXPECT_EQ(segments[i].position, 0);
  }
  EXPECT_THAT(rows, ElementsAre(0, 3, 4));
  EXPECT_THAT(lengths, ElementsAre(3, 1, 2));
  EXPECT_EQ(segments.first_row, 0);
  EXPECT_EQ(row_count(segments), 6);
  EXPECT_THAT(positions(segments), ElementsAre(0, 1, 2, 0, 0, 1));
}

TEST(Segments, may_be_empty) {
  const Segments segments = segments_of({0, 2, 0, 0, 1, 0});
  ASSERT_EQ(segments.count(), 6);
  EXPECT_EQ(segments[0].row, 0);
  EXPECT_EQ(segments[2].row, 2);
  EXPECT_EQ(segments[3].row, 2);
  EXPECT_EQ(segments[5].row, 3);
  EXPECT_EQ(row_count(segments), 3);
  EXPECT_THAT(positions(segments), ElementsAre(0, 1, 0));
}

TEST(Segments, of_no_sequences_have_no_rows) {
  for (const Segments& segments : {Segments{}, segments_of({}), segments_of({0, 0})}) {
    EXPECT_EQ(row_count(segments), 0);
    EXPECT_THAT(positions(segments), IsEmpty());
  }
}

TEST(Segments, begin_at_any_position) {
  Segments segments = segments_of({3, 2});
  segments.list[0].position = -2;
  segments.list[1].position = 7;
  EXPECT_THAT(positions(segments), ElementsAre(-2, -1, 0, 7, 8));
}

// Keys of beams that share one source, and of a cache with room for sequences to grow.
TEST(Segments, of_keys_may_overlap_leave_gaps_and_come_in_any_order) {
  const Segments shared{
      .list = {{.row = 0, .rows = 4}, {.row = 0, .rows = 4}, {.row = 2, .rows = 1}}};
  EXPECT_EQ(row_count(shared), 4);
  const Segments cache{.list = {{.row = 10, .rows = 3}, {.row = 0, .rows = 2}}};
  EXPECT_EQ(row_count(cache), 13);
}

}}  // namespace tapehead
