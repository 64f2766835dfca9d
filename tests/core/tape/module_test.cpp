// Which part of a module, and which of its heads, a column belongs to.
#include "core/tape/anomaly.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::string place(const Module& module, Index column, Index columns) {
  return place_of(module, column, columns).to_string();
}

TEST(Module, tells_parts_and_heads_of_columns) {
  const Module projection{.paths = {"self.query", "self.key", "self.value"}, .heads = 2};
  EXPECT_EQ(place(projection, 0, 30), "self.query, head 0");
  EXPECT_EQ(place(projection, 9, 30), "self.query, head 1");
  EXPECT_EQ(place(projection, 10, 30), "self.key, head 0");
  EXPECT_EQ(place(projection, 29, 30), "self.value, head 1");
}

TEST(Module, tells_no_head_where_there_is_none) {
  EXPECT_EQ(place({.paths = {"feed_forward.inner"}}, 7, 9), "feed_forward.inner");
  EXPECT_EQ(place({.paths = {"narrow"}, .heads = 4}, 0, 2), "narrow");
}

// Reduced results with fewer columns than parts.
TEST(Module, tells_something_of_results_with_fewer_columns_than_parts) {
  const Module projection{.paths = {"query", "key", "value"}};
  EXPECT_EQ(place(projection, 0, 1), "query");
  EXPECT_EQ(place(projection, 1, 2), "key");
}

}}  // namespace tapehead
