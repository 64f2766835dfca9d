// The plain ops in single precision, whose vectors are twice as wide: values against the same
// formulas in double.
#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Two full vectors of floats and a remainder, on any CPU.
constexpr Index N = 3;
constexpr Index D = 37;

// Expects each element to equal f(i, j) up to a few roundings.
template <class Function>
void expect_values(const Var& y, const Function& f) {
  for (Index i = 0; i < y.shape()[0]; ++i) {
    for (Index j = 0; j < y.shape()[1]; ++j) {
      const double expected = f(i, j);
      EXPECT_NEAR(y.value().row(i)[j], expected, 1e-6 * std::max(1.0, std::abs(expected)))
          << i << ", " << j;
    }
  }
}

class PlainOps : public Test {
 protected:
  Tape tape{false};
  Var x = tape.constant(random_tensor({N, D}, 1, 0.1, 3));
  Var y = tape.constant(random_tensor({N, D}, 2));
  Var row = tape.constant(random_tensor({D}, 3));

  double at(const Var& v, Index i, Index j) const { return v.value().data()[i * D + j]; }
};

TEST_F(PlainOps, arithmetic) {
  expect_values(add(x, y), [&](Index i, Index j) { return at(x, i, j) + at(y, i, j); });
  expect_values(subtract(x, y), [&](Index i, Index j) { return at(x, i, j) - at(y, i, j); });
  expect_values(multiply(x, y), [&](Index i, Index j) { return at(x, i, j) * at(y, i, j); });
  expect_values(subtract(x, row), [&](Index i, Index j) { return at(x, i, j) - at(row, 0, j); });
  expect_values(multiply(x, row), [&](Index i, Index j) { return at(x, i, j) * at(row, 0, j); });
  expect_values(scale(x, -3), [&](Index i, Index j) { return -3 * at(x, i, j); });
  expect_values(exp(x), [&](Index i, Index j) { return std::exp(at(x, i, j)); });
  expect_values(log(x), [&](Index i, Index j) { return std::log(at(x, i, j)); });
}

TEST_F(PlainOps, softmax) {
  const auto row_sum = [&](Index i) {
    double sum = 0;
    for (Index j = 0; j < D; ++j) {
      sum += std::exp(at(x, i, j));
    }
    return sum;
  };
  expect_values(softmax(x), [&](Index i, Index j) { return std::exp(at(x, i, j)) / row_sum(i); });
  expect_values(log_softmax(x),
                [&](Index i, Index j) { return at(x, i, j) - std::log(row_sum(i)); });
}

// Ten million times 0.1: a single running sum in single precision would be off by a tenth.
TEST_F(PlainOps, sums_of_many_numbers_stay_accurate) {
  const Var many = tape.constant(Tensor::full({10'000'000}, Scalar(0.1)));
  EXPECT_NEAR(sum(many).value().data()[0], 1e6, 1e6 * 1e-4);
  EXPECT_NEAR(mean(many).value().data()[0], 0.1, 0.1 * 1e-4);
}

TEST_F(PlainOps, matmul) {
  expect_values(matmul(x, transpose(y)), [&](Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < D; ++k) {
      sum += at(x, i, k) * at(y, j, k);
    }
    return sum;
  });
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
