#include "tests/core/product/matrix_product_cases.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(RoundedProduct, is_refused_in_double_precision) {
  const Scalar one = 1;
  Scalar c = 0;
  EXPECT_THAT(
      [&] { matrix_product(1, 1, 1, {&one, 1}, {&one, 1}, &c, 1, false, Precision::bfloat16); },
      ThrowsMessage<ConfigError>(HasSubstr("need the library in single precision")));
  EXPECT_THROW(PackedMatrix({&one, 1}, 1, 1, Precision::bfloat16), ConfigError);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
