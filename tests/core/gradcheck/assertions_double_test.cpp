// EXPECT_GRADCHECK and ASSERT_GRADCHECK: their arguments and their failure messages.
#include <gtest/gtest-spi.h>
#include <tapehead/gtest.hpp>

#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// y = 3 x, with the gradient of y = 2 x.
Var wrong(const Var& x) {
  Tape plain(false);
  return x.tape().record("wrong", {x}, scale(plain.constant(x.value()), 3).value(),
                         [](Gradients& g) {
                           Tape unrecorded(false);
                           g.add(0, scale(unrecorded.constant(g.output()), 2).value());
                         });
}

TEST(GradcheckAssertions, take_functions_of_vars) {
  EXPECT_GRADCHECK(matmul, random(3, 5), random(5, 4));
  ASSERT_GRADCHECK([](const Var& a, const Var& b) { return matmul(a, b); }, random(3, 5),
                   Tensor::of({5, 1}, {1, -2, 3, 0.5, 0.25}));
}

TEST(GradcheckAssertions, take_functions_of_segments) {
  const auto attend = [](const Var& q, const Var& k, const Var& v, const Segments& segments) {
    return attention({q}, {k}, {v}, segments, segments, {.d_key = 4, .d_value = 3});
  };
  EXPECT_GRADCHECK(attend, random(6, 4), random(6, 4), random(6, 3));
}

TEST(GradcheckAssertions, take_options) {
  // A gradient that is a third too small passes with this tolerance.
  EXPECT_GRADCHECK((GradcheckOptions{.relative_tolerance = 0.5}), wrong, random(2, 3));
}

TEST(GradcheckAssertions, draw_other_numbers_for_each_input) {
  const Tensor first = drawn(random(2, 3), 0);
  const Tensor second = drawn(random(2, 3), 1);
  const Tensor again = drawn(random(2, 3), 0);
  EXPECT_NE(first.data()[0], second.data()[0]);
  EXPECT_EQ(first.data()[5], again.data()[5]);
}

TEST(GradcheckAssertions, fail_with_the_report) {
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(wrong, random(2, 3)),
                          "the gradient check fails\nwrong: input 0 [");
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(wrong, random(2, 3)),
                          "hint: 0.666667 times what is right, everywhere");
}

TEST(GradcheckAssertions, end_the_test_where_asked_to) {
  EXPECT_FATAL_FAILURE(ASSERT_GRADCHECK(wrong, random(2, 3)), "ratio 0.666667");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
