// The plain ops in single precision, whose vectors are twice as wide: values against the same
// formulas in double.
#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "core/random/keep_bits.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(PlainOps, equal_their_formulas) {
  // Two full vectors of floats and a remainder, on any CPU.
  constexpr Index N = 3;
  constexpr Index D = 37;
  Tape tape(false);
  const Var x = tape.constant(random_tensor({N, D}, 1, 0.1, 3));
  const Var y = tape.constant(random_tensor({N, D}, 2));
  const Var row = tape.constant(random_tensor({D}, 3));
  const auto exact = [](Scalar a, Scalar b) { return double{a} * double{b}; };
  const Var results[] = {add(x, y),        subtract(x, y), multiply(x, y), subtract(x, row),
                         multiply(x, row), scale(x, -3),   exp(x),         log(x),
                         softmax(x),       log_softmax(x)};
  for (Index i = 0; i < N; ++i) {
    double sum = 0;
    for (Index j = 0; j < D; ++j) {
      sum += std::exp(double{x.value().row(i)[j]});
    }
    for (Index j = 0; j < D; ++j) {
      const double a = x.value().row(i)[j];
      const double b = y.value().row(i)[j];
      const double c = row.value().data()[j];
      const double expected[] = {a + b,
                                 a - b,
                                 a * b,
                                 a - c,
                                 a * c,
                                 -3 * a,
                                 std::exp(a),
                                 std::log(a),
                                 std::exp(a) / sum,
                                 a - std::log(sum)};
      for (std::size_t op = 0; op < std::size(expected); ++op) {  // up to a few roundings
        EXPECT_NEAR(results[op].value().row(i)[j], expected[op],
                    1e-6 * std::max(1.0, std::abs(expected[op])))
            << "result " << op << " at " << i << ", " << j;
      }
    }
  }
  const Tensor product = matmul(x, transpose(y)).value();
  for (Index i = 0; i < N; ++i) {
    for (Index j = 0; j < N; ++j) {
      const double expected = std::inner_product(x.value().row(i), x.value().row(i + 1),
                                                 y.value().row(j), 0.0, std::plus<>(), exact);
      EXPECT_NEAR(product.row(i)[j], expected, 1e-6 * std::max(1.0, std::abs(expected)));
    }
  }
}

// Ten million times 0.1: a single running sum in single precision would be off by a tenth.
TEST(PlainOps, sums_of_many_numbers_stay_accurate) {
  Tape tape(false);
  const Var many = tape.constant(Tensor::full({10'000'000}, Scalar(0.1)));
  EXPECT_NEAR(sum(many).value().data()[0], 1e6, 1e6 * 1e-4);
  EXPECT_NEAR(mean(many).value().data()[0], 0.1, 0.1 * 1e-4);
}

// Rows that end with the first, eighth or ninth number of a vector, or with a full vector.
TEST(PlainOps, dropout_drops_what_its_bits_say) {
  const Dropout drop{.probability = 0.4, .draws = Draws(3, "tests.fused", 5)};
  constexpr Index rows = 3;
  for (const Index columns : {1, 8, 9, 16, 25, 37, 64}) {
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(keep_bytes(rows, columns)));
    draw_keep_rows(drop, 0, rows, columns, bits.data());
    Tape tape;
    const Tensor y = dropout(tape.constant(Tensor::full({rows, columns}, 1)), drop).value();
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const std::uint8_t byte = bits.data()[i * keep_row_bytes(columns) + j / 8];
        const bool kept = (byte >> (j % 8) & 1) != 0;
        EXPECT_EQ(y.row(i)[j], kept ? static_cast<Scalar>(drop.scale()) : Scalar{0})
            << "column " << j << " of " << columns;
      }
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
