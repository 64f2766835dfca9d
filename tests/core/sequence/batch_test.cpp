// The parts of a batch must fit each other.
#include "core/sequence/batch.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Two sequences of 2 and 3 rows; rows 1 and 4 have labels.
Batch whole_batch() {
  return {.context = {.ids = {}, .segments = segments_of({0, 0})},
          .input = {.ids = {3, 4, 5, 6, 7}, .segments = segments_of({2, 3})},
          .labels = {.every_row = false, .rows = {1, 4}, .ids = {8, 9}},
          .examples = {0, 1}};
}

std::string fault_after(const std::function<void(Batch&)>& change) {
  Batch batch = whole_batch();
  change(batch);
  try {
    expect_whole(batch);
    return "none";
  } catch (const ShapeError& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(':'));
  }
}

TEST(Batch, of_parts_that_go_together_is_whole) {
  EXPECT_EQ(fault_after([](Batch&) {}), "none");
  EXPECT_EQ(fault_after([](Batch& batch) {
              batch.labels = {.every_row = true, .rows = {}, .ids = {1, 2, 3, 4, 5}};
            }),
            "none");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.labels = {.every_row = false}; }), "none");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.input.types = {0, 1, 0, 1, 1}; }), "none");
}

TEST(Batch, of_parts_that_do_not_is_refused_with_the_part) {
  EXPECT_EQ(fault_after([](Batch& batch) { batch.context.segments.list.pop_back(); }),
            "batch.context");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.input.ids.push_back(3); }), "batch.input");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.examples.push_back(2); }), "batch.context");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.input.types = {0, 1}; }), "batch.input.types");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.context.types = {0}; }), "batch.context.types");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.labels.ids.pop_back(); }), "batch.labels");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.labels.every_row = true; }), "batch.labels");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.labels.rows = {1, 5}; }), "batch.labels.rows");
  EXPECT_EQ(fault_after([](Batch& batch) { batch.labels.rows = {4, 1}; }), "batch.labels.rows");
}

}}  // namespace tapehead
