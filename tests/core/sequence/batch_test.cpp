// Segments: rows and positions of ragged batches, with empty sequences, gaps and caches. The parts
// of a batch must fit each other.
#include "core/sequence/batch.hpp"

#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

TEST(Segments, lie_end_to_end_from_position_zero) {
  const auto segment = [](Index row, Index rows) { return FieldsAre(row, rows, 0, 0); };
  const Segments segments = segments_of({3, 1, 2});
  EXPECT_THAT(segments.list, ElementsAre(segment(0, 3), segment(3, 1), segment(4, 2)));
  EXPECT_EQ(segments.first_row, 0);
  EXPECT_EQ(row_count(segments), 6);
  EXPECT_THAT(positions(segments), ElementsAre(0, 1, 2, 0, 0, 1));
  const Segments some_empty = segments_of({0, 2, 0, 0, 1, 0});
  EXPECT_THAT(some_empty.list, ElementsAre(segment(0, 0), segment(0, 2), segment(2, 0),
                                           segment(2, 0), segment(2, 1), segment(3, 0)));
  EXPECT_EQ(row_count(some_empty), 3);
  EXPECT_THAT(positions(some_empty), ElementsAre(0, 1, 0));
  for (const Segments& none : {Segments{}, segments_of({}), segments_of({0, 0})}) {
    EXPECT_EQ(row_count(none), 0);
    EXPECT_THAT(positions(none), IsEmpty());
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
  EXPECT_EQ(row_count({.list = {{0, 4}, {0, 4}, {2, 1}}}), 4);
  EXPECT_EQ(row_count({.list = {{10, 3}, {0, 2}}}), 13);
}

// Changes a batch of two sequences of 2 and 3 rows, of which rows 1 and 4 have labels. Returns the
// part that does not fit.
std::string fault_after(const std::function<void(Batch&)>& change) {
  Batch batch{.context = {.ids = {}, .segments = segments_of({0, 0})},
              .input = {.ids = {3, 4, 5, 6, 7}, .segments = segments_of({2, 3})},
              .labels = {.every_row = false, .rows = {1, 4}, .ids = {8, 9}},
              .examples = {0, 1}};
  change(batch);
  const std::string message = message_of<ShapeError>([&] { expect_whole(batch); });
  return message.substr(0, message.find(':'));
}

TEST(Batch, of_parts_that_do_not_go_together_is_refused_with_the_part) {
  const std::vector<std::pair<std::string, std::function<void(Batch&)>>> cases{
      {"no error", [](Batch&) {}},
      {"no error",
       [](Batch& b) { b.labels = {.every_row = true, .rows = {}, .ids = {1, 2, 3, 4, 5}}; }},
      {"no error", [](Batch& b) { b.labels = {.every_row = false}; }},
      {"no error", [](Batch& b) { b.input.types = {0, 1, 0, 1, 1}; }},
      {"batch.context", [](Batch& b) { b.context.segments.list.pop_back(); }},
      {"batch.input", [](Batch& b) { b.input.ids.push_back(3); }},
      {"batch.context", [](Batch& b) { b.examples.push_back(2); }},
      {"batch.input.types", [](Batch& b) { b.input.types = {0, 1}; }},
      {"batch.context.types", [](Batch& b) { b.context.types = {0}; }},
      {"batch.labels", [](Batch& b) { b.labels.ids.pop_back(); }},
      {"batch.labels", [](Batch& b) { b.labels.every_row = true; }},
      {"batch.labels.rows", [](Batch& b) { b.labels.rows = {1, 5}; }},
      {"batch.labels.rows", [](Batch& b) { b.labels.rows = {4, 1}; }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(fault_after(cases[i].second), cases[i].first) << "row " << i;
  }
}

}}  // namespace tapehead
