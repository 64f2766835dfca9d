// In single precision a gradient check has no verdict to give, and says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/arithmetic.hpp"
#include "tests/support/random.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

TEST(Gradcheck, RefusesSinglePrecision) {
  const GradcheckReport report = gradcheck(
      [](Tape&, const std::vector<Var>& x) { return scale(x[0], 2); }, {random_tensor({3}, 1)});
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, ::testing::HasSubstr("link the double build"));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
