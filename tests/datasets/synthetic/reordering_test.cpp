// Which source symbol copy, reverse and sort output at each place.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Reordering, each_place_is_related_to_what_it_says) {
  for (const std::string name : {"copy", "reverse", "sort"}) {
    SCOPED_TRACE(name);
    const Task task = make_task(small_task(name), {.seed = 1});
    for_each_example(task, [&](const Split& split, Index number, const Example& example) {
      std::map<Index, int> keys;
      for (const auto& [query, key] :
           pairs_of(split.source->relations(number), "answer", RelationSide::across)) {
        EXPECT_EQ(token_at(example.target, query), token_at(example.source, key));
        ++keys[query];
        EXPECT_TRUE(name != "copy" || key == query);
        EXPECT_TRUE(name != "reverse" || key + query == std::ssize(example.source) - 1);
      }
      ASSERT_EQ(keys.size(), example.target.size());
      for (const auto& [query, count] : keys) {
        const auto same = std::ranges::count(example.source, token_at(example.target, query));
        EXPECT_EQ(count, name == "sort" ? same : 1);
      }
    });
  }
}

}}  // namespace tapehead
