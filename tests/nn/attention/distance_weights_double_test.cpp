// Heads with given weights by distance: what they say, what is recorded of them, and what others
// do.
#include "nn/attention/head_distances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/lone_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pointwise;

const DistanceWeights mostly_before{.first = -1, .weights = {3, 1}};

TEST(DistanceWeights, are_shared_out_among_the_keys_that_a_query_sees) {
  const Segment rows{.rows = 3};
  EXPECT_THAT(weights_at(mostly_before, Pattern::full(), rows, rows).values(),
              ElementsAre(1, 0, 0, 0.75, 0.25, 0, 0, 0.75, 0.25));
  EXPECT_THAT(weights_at({.first = 1, .weights = {2}}, Pattern::causal(), rows, rows).values(),
              ::testing::Each(0));  // only keys after the query
  const Segment last{.rows = 1, .position = 2};
  EXPECT_THAT(weights_at(mostly_before, Pattern::causal(), last, rows).values(),
              ElementsAre(0, 0.75, 0.25));
}

std::vector<RecordedAttention> recorded(const LoneAttention& lone, const Tensor& x,
                                        const Segments& segments) {
  std::vector<RecordedAttention> seen;
  Tape tape(false);
  Pass pass(tape, lone.store);
  pass.recorder = [&](const RecordedAttention& one) { seen.push_back(one); };
  const Var input = tape.constant(x);
  lone.attention(pass, input, input, input, segments, segments);
  return seen;
}

// Queries of zeros give every key the same weight, as equal numbers for all distances do.
TEST(DistanceWeights, that_are_even_do_what_equal_scores_do) {
  AttentionSettings settings;
  settings.positions.values = {AttentionPositions::relative};
  settings.clip.values = {2};
  LoneAttention equal(settings);
  LoneAttention given(settings);
  for (LoneAttention* lone : {&equal, &given}) {
    lone->without_biases();
  }
  equal.set("query.weight", Tensor::zeros({6, 6}));
  const DistanceWeights even{.first = -3, .weights = PoolVector<Scalar>(7, 1)};
  given.attention.by_distance = {{0, even}, {1, even}};
  const Segments segments = segments_of({4, 3});
  const Tensor x = random_tensor({7, 6}, 2);
  EXPECT_THAT(given(x, segments).values(),
              Pointwise(DoubleNear(1e-13), equal(x, segments).values()));
  given.attention.by_distance.clear();
  EXPECT_THAT(given(x, segments).values(),
              ::testing::Not(Pointwise(DoubleNear(1e-3), equal(x, segments).values())));
}

TEST(DistanceWeights, are_recorded_as_the_heads_own) {
  LoneAttention lone(AttentionSettings{});
  const Segments segments = segments_of({3});
  const Tensor x = random_tensor({3, 6}, 2);
  const auto before = recorded(lone, x, segments);
  lone.attention.by_distance = {{1, mostly_before}};
  const auto after = recorded(lone, x, segments);
  EXPECT_THAT(after[0].weights.values(), ElementsAreArray(before[0].weights.values()));
  EXPECT_THAT(after[0].output.values(), ElementsAreArray(before[0].output.values()));
  EXPECT_THAT(after[1].weights.values(), ElementsAre(1, 0, 0, 0.75, 0.25, 0, 0, 0.75, 0.25));
  EXPECT_DOUBLE_EQ(after[1].scores.row(1)[0], std::log(0.75));
  EXPECT_EQ(after[1].scores.row(1)[2], -std::numeric_limits<double>::infinity());
  EXPECT_THAT(after[1].output.values(),
              ::testing::Not(ElementsAreArray(before[1].output.values())));
}

TEST(DistanceWeights, have_no_gradients) {
  LoneAttention lone(AttentionSettings{});
  lone.attention.by_distance = {{1, mostly_before}};
  EXPECT_THROW(lone.gradient("output.weight", random_tensor({3, 6}, 2), segments_of({3})),
               std::logic_error);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
