// exp_of_small compared with the C library's exp in double precision. A fused multiply-add rounds
// once, also in tests compiled with little optimisation.
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

TEST(Exponential, is_right_at_zero_far_below_and_for_nan) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-0.0F), 1);
  // A key that a query may not attend to must have weight 0, not a small weight.
  for (const float x : {-88.4F, -104.0F, -1e4F, -1e30F, Limits::lowest(), -Limits::infinity()}) {
    EXPECT_EQ(exp_of(x), 0) << x;
  }
  EXPECT_THAT(exp_of(Limits::quiet_NaN()), IsNan());
  EXPECT_THAT(exp_of(-Limits::quiet_NaN()), IsNan());
}

// (1 + i e)² - (1 + 2 i e) = i² e². For small i this is less than half of the last digit of a
// number near 1, so a product that is rounded separately loses it.
template <class Number>
void expect_one_rounding() {
  using Vector = xsimd::batch<Number>;
  const Number e = std::ldexp(Number{1}, -(std::numeric_limits<Number>::digits / 2 + 1));
  std::array<Number, Vector::size> factors{};
  std::array<Number, Vector::size> sums{};
  for (std::size_t i = 0; i < Vector::size; ++i) {
    factors[i] = 1 + static_cast<Number>(i) * e;
    sums[i] = -1 - 2 * static_cast<Number>(i) * e;
  }
  const Vector x = Vector::load_unaligned(factors.data());
  const Vector result = fused_multiply_add(x, x, Vector::load_unaligned(sums.data()));
  for (std::size_t i = 0; i < Vector::size; ++i) {
    EXPECT_EQ(result.get(i), static_cast<Number>(i * i) * e * e) << "number " << i;
  }
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
TEST(FusedMultiplyAdd, rounds_once) {
  expect_one_rounding<float>();
  expect_one_rounding<double>();
}
#endif

}}  // namespace tapehead
