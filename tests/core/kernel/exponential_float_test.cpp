// exp_of_small compared with the C library's exp in double precision.
#include "core/kernel/vector_functions.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Floats = xsimd::batch<float>;

float exp_of(float x) { return exp_of_small(Floats(x)).get(0); }

// Every 512th float up to 88 and down to -88.
TEST(Exponential, is_as_near_as_single_precision_allows) {
  constexpr float last = 88;
  const float smallest_normal = std::numeric_limits<float>::min();
  for (const float sign : {-1.0F, 1.0F}) {
    for (float x = 1e-8F; x < last; x *= 1 + 0x1p-14F) {
      const double exact = std::exp(static_cast<double>(sign * x));
      const double error = std::abs(exp_of(sign * x) - exact);
      ASSERT_LE(error, exact < smallest_normal ? smallest_normal : 1.3e-7 * exact) << sign * x;
    }
  }
}

TEST(Exponential, is_one_at_zero) {
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-0.0F), 1);
}

// A key that a query may not attend to must have weight 0, not a small weight.
TEST(Exponential, vanishes_far_below_zero) {
  for (const float x : {-88.4F, -104.0F, -1e4F, -1e30F, std::numeric_limits<float>::lowest(),
                        -std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(exp_of(x), 0) << x;
  }
}

TEST(Exponential, keeps_na_n) {
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(exp_of(-std::numeric_limits<float>::quiet_NaN())));
}

}}  // namespace tapehead
