// Heads that start identical: their weights, and what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/lone_attention.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAreArray;
using ::testing::Pointwise;

TEST(AttentionStart, makes_heads_identical) {
  ModelOptions options = tiny_options();
  options.attention.start.values = {HeadStart::identical};
  const TinyModel model(options);
  Index matrices = 0;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const Tensor value = model.store.value(parameter);
    const bool projection = parameter.name.ends_with("query.weight") ||
                            parameter.name.ends_with("key.weight") ||
                            parameter.name.ends_with("value.weight");
    if (projection) {
      ++matrices;
      const auto half = static_cast<std::size_t>(value.size() / 2);
      EXPECT_THAT(value.values().first(half), ElementsAreArray(value.values().last(half)));
      EXPECT_NE(value.data()[0], value.row(1)[0]);
    }
    if (parameter.name.ends_with("output.weight") && parameter.name.starts_with("encoder")) {
      ++matrices;
      for (Index i = 0; i < value.dim(0); ++i) {
        EXPECT_EQ(value.row(i)[0], value.row(i)[5]);  // d_v is 5
        EXPECT_NE(value.row(i)[0], value.row(i)[1]);
      }
    }
  }
  EXPECT_EQ(matrices, 10);  // three in each of three attentions, and the encoder's output
}

// What each head has of scores and distances starts equal too.
TEST(AttentionStart, makes_what_heads_know_identical) {
  const auto expect_equal_halves = [](const AttentionSettings& settings, const std::string& name) {
    LoneAttention alone(settings);
    alone.store.initialize(1);
    const Tensor value = alone.value(name);
    const auto half = static_cast<std::size_t>(value.size() / 2);
    EXPECT_THAT(value.values().first(half), ElementsAreArray(value.values().last(half))) << name;
    EXPECT_NE(value.data()[0], value.data()[1]) << name;
  };
  const Layered<HeadStart> identical{{HeadStart::identical}};
  expect_equal_halves({.score = {{{{Score::bilinear}}}}, .start = identical}, "score.weight");
  expect_equal_halves({.score = {{{{Score::additive}}}}, .start = identical}, "score.vector");
  expect_equal_halves({.positions = {{AttentionPositions::t5}}, .start = identical},
                      "distance.score");
  expect_equal_halves({.positions = {{AttentionPositions::transformer_xl}}, .start = identical},
                      "distance.weight");
}

// What starts identical stays so without dropout, as long as output blocks are equal too.
TEST(AttentionStart, identical_heads_have_identical_gradients) {
  LoneAttention alone({.start = {{HeadStart::identical}}});
  alone.store.initialize(1);
  const Tensor gradient =
      alone.gradient("query.weight", random_tensor({8, 6}, 4), segments_of({5, 3}));
  const auto half = static_cast<std::size_t>(gradient.size() / 2);
  EXPECT_THAT(gradient.values().first(half),
              Pointwise(DoubleNear(1e-14), gradient.values().last(half)));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
