#include "support/quality_curve.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Steps of 100, 300 and 600 tokens in 20 minutes; 4 / 10 of them before the first evaluation.
TEST(QualityCurve, spreads_the_time_by_tokens) {
  const auto points = quality_curve(
      R"({"step":1,"tokens":100}
{"step":2,"tokens":300}
{"step":2,"split":"validation","loss":2.5,"perplexity":12.2,"bleu":7.5}
{"step":3,"tokens":600}
{"step":3,"split":"validation","loss":1.5,"perplexity":4.5}
{"step":3,"split":"test","loss":1.6,"bleu":30}
)",
      1200);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at("step"), 2);
  EXPECT_DOUBLE_EQ(points[0].at("minutes").get<double>(), 8);
  EXPECT_EQ(points[0].at("bleu"), 7.5);
  EXPECT_EQ(points[0].at("perplexity"), 12.2);
  EXPECT_DOUBLE_EQ(points[1].at("minutes").get<double>(), 20);
  EXPECT_FALSE(points[1].contains("bleu"));
}

}}  // namespace tapehead
