// The best next tokens where products are rounded to bfloat16.
#include "core/product/matrix_product.hpp"
#include "nn/transformer/best_tokens.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// More than two blocks of 96 tokens, and two tiles of rows of which one is partly filled.
TEST(BestTokens, are_those_of_rounded_products_to_the_bit) {
  constexpr Index N = 37;
  constexpr Index V = 211;
  constexpr Index D = 40;
  const Tensor hidden = random_tensor({N, D}, 1, -2, 2);
  const Tensor table = random_tensor({V, D}, 2, -2, 2);
  for (const Tensor& bias : {Tensor(), random_tensor({V}, 3, -1, 1)}) {
    Tensor logits = Tensor::empty({N, V});
    matrix_product_plus_row(N, V, D, {hidden.data(), D}, {table.data(), D, true},
                            bias.has_memory() ? bias.data() : nullptr, logits.data(), V,
                            Precision::bfloat16);
    const BestTokens best =
        best_tokens(hidden, table, bias, 3, -1, LogSums::wanted, Precision::bfloat16);
    for (Index row = 0; row < N; ++row) {
      EXPECT_EQ(best.of(row)[0].logit, *std::max_element(logits.row(row), logits.row(row) + V));
      for (const auto& [token, logit] : best.of(row)) {
        EXPECT_EQ(logit, logits.row(row)[token]) << "row " << row;
      }
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
