// Removes heads one by one.
#include "lab/removal/head_importance.hpp"

#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index all_examples = 100;

class HeadPruning : public Test {
 protected:
  PruningCurve prune(Workers& workers) {
    return prune_heads(copy_.model, copy_.config, copy_.task, copy_.split, all_examples, workers);
  }

  SmallCopy copy_;
};

TEST_F(HeadPruning, takes_every_head_once_and_puts_all_back) {
  const Tensor before = copy_.model.store.values().copy();
  Workers workers(2);
  const PruningCurve curve = prune(workers);
  std::set<std::string> removed;
  for (const PruningStep& step : curve.steps) {
    removed.insert(fmt::format("{} {}", step.removed.site.text(), step.removed.head));
  }
  EXPECT_EQ(curve.steps.size(), 6U);
  EXPECT_EQ(removed.size(), 6U);
  EXPECT_EQ(curve.loss, copy_.loss(workers));
  EXPECT_THAT(copy_.model.store.values().values(), ElementsAreArray(before.values()));
}

// Step by step by hand: the remaining head with the smallest slope is removed.
TEST_F(HeadPruning, takes_the_least_important_of_those_that_are_left) {
  Workers workers(1);
  const PruningCurve curve = prune(workers);
  std::vector<HeadName> left = heads_of(copy_.model.transformer);
  HeadGates gone;
  for (const PruningStep& step : curve.steps) {
    SCOPED_TRACE(step.removed.site.text());
    const std::vector<double> slopes =
        gate_slopes(copy_.model, *copy_.split.source, gates_on(copy_.model, left), workers);
    const auto least = std::ranges::min_element(slopes) - slopes.begin();
    const auto at = static_cast<std::size_t>(least);
    EXPECT_EQ(step.removed.site, left[at].site);
    EXPECT_EQ(step.removed.head, left[at].head);
    EXPECT_EQ(step.importance, slopes[at]);
    gone.push_back(std::make_unique<HeadGate>(copy_.model, left[at]));
    gone.back()->set(0);
    EXPECT_EQ(step.loss, copy_.loss(workers));
    left.erase(left.begin() + least);
  }
}

TEST_F(HeadPruning, says_the_same_at_any_number_of_threads) {
  Workers one(1);
  Workers three(3);
  const PruningCurve a = prune(one);
  const PruningCurve b = prune(three);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].importance, b.steps[i].importance);
    EXPECT_EQ(a.steps[i].loss, b.steps[i].loss);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
