// Relations of a source and a target that form one sequence.
#include "datasets/pairs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// A source of three tokens (rows 0 to 2), the begin mark (row 3), target token t in row 4 + t.
TEST(Relations, of_one_sequence_are_all_in_its_rows) {
  const Relations relations{
      {.name = "previous", .side = RelationSide::source, .pairs = {{1, 0}, {3, 2}}},
      {.name = "answer", .side = RelationSide::across, .pairs = {{0, 3}, {1, 2}}},
      {.name = "written", .side = RelationSide::target, .pairs = {{2, 1}}}};
  const Relations joined = in_one_sequence(relations, 3, 0);
  EXPECT_THAT(joined, ElementsAre(Relation{"previous", RelationSide::target, {{1, 0}, {3, 2}}},
                                  Relation{"answer", RelationSide::target, {{3, 3}, {4, 2}}},
                                  Relation{"written", RelationSide::target, {{5, 4}}}));
}

TEST(Relations, of_one_sequence_look_ahead_in_a_prefix_alone) {
  const Relations relations{
      {.name = "next", .side = RelationSide::source, .pairs = {{0, 1}, {1, 2}, {2, 3}}}};
  EXPECT_THAT(in_one_sequence(relations, 3, 0).front().pairs, ElementsAre());
  EXPECT_THAT(in_one_sequence(relations, 3, 3).front().pairs,
              ElementsAre(PositionPair{0, 1}, PositionPair{1, 2}));
}

}}  // namespace tapehead
