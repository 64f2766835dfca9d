// The gradient of the op, checked.
#include "gated.hpp"

#include <tapehead/gradcheck.hpp>
#include <tapehead/gtest.hpp>

TEST(Gated, gradient) { EXPECT_GRADCHECK(gated, tapehead::random(7, 5), tapehead::random(7, 5)); }
