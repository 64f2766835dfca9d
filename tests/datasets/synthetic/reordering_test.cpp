// Which source symbol copy, reverse and sort output at each place.
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class Reordering : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Tasks, Reordering, Values("copy", "reverse", "sort"),
                         [](const auto& task) { return task.param; });

TEST_P(Reordering, each_place_is_related_to_what_it_says) {
  const Task task = make_task(small_task(GetParam()), {.seed = 1});
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    std::map<Index, int> keys;
    for (const auto& [query, key] :
         pairs_of(split.source->relations(number), "answer", RelationSide::across)) {
      EXPECT_EQ(token_at(example.target, query), token_at(example.source, key));
      ++keys[query];
      if (GetParam() == "copy") {
        EXPECT_EQ(key, query);
      }
      if (GetParam() == "reverse") {
        EXPECT_EQ(key + query, static_cast<Index>(example.source.size()) - 1);
      }
    }
    ASSERT_EQ(keys.size(), example.target.size());
    for (const auto& [query, count] : keys) {
      const auto same = std::ranges::count(example.source, token_at(example.target, query));
      EXPECT_EQ(count, GetParam() == "sort" ? same : 1);
    }
  });
}

}}  // namespace tapehead
