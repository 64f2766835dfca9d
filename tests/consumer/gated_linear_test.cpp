// The gradient of the op written with xtensor, checked.
#include "gated_linear.hpp"

#include <tapehead/gradcheck.hpp>
#include <tapehead/gtest.hpp>

TEST(GatedLinear, gradient) {
  using tapehead::random;
  EXPECT_GRADCHECK(gated_linear, random(7, 5), random(3, 5), random(3, 5));
}
