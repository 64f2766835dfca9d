// A fused multiply-add rounds once, also in tests compiled with little optimisation.
#include "core/kernel/vector_functions.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

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
TEST(FusedMultiplyAdd, rounds_once_in_single_precision) { expect_one_rounding<float>(); }

TEST(FusedMultiplyAdd, rounds_once_in_double_precision) { expect_one_rounding<double>(); }
#endif

}}  // namespace tapehead
