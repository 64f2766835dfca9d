// gradcheck must fail for every kind of wrong number in a gradient.
#include "core/gradcheck/gradcheck.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/square.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Gradcheck, sees_a_wrong_sign) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, -1)); }),
      WrongKind::sign, "ratio -1");
}

TEST(Gradcheck, sees_a_wrong_factor) {
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 2)); }),
      WrongKind::factor, "2 times what is right, everywhere");
  expect_wrong(
      check_square([](Gradients& g, const Tensor& x) { g.add(0, square_gradient(g, x, 1.00001)); }),
      WrongKind::factor, "ratio 1.00001");
}

// The error is so small that the gradient as a whole looks correct, or like a multiple of it.
TEST(Gradcheck, names_the_element_or_row_of_a_small_error) {
  const auto with = [](Index first, Index last) {
    return check_square([first, last](Gradients& g, const Tensor& x) {
      Tensor gradient = square_gradient(g, x, 1);
      for (Index i = first; i < last; ++i) {
        gradient.data()[i] *= 1 + 3e-8;
      }
      g.add(0, gradient);
    });
  };
  expect_wrong(with(5, 6), WrongKind::one_element, "input 0 [1, 1] of (3, 4)");
  expect_wrong(with(4, 8), WrongKind::some_rows,
               "only row 1 is wrong; 1 + 3e-08 times what is right arrives there");
}

TEST(Gradcheck, sees_a_missing_gradient) {
  expect_wrong(check_square([](Gradients&, const Tensor&) {}), WrongKind::no_gradient,
               "backward calls neither g.add(0, ...) nor g.target(0)");
}

TEST(Gradcheck, sees_a_gradient_that_is_not_a_number) {
  expect_verdict(check_square([](Gradients& g, const Tensor& x) {
                   Tensor dx = square_gradient(g, x, 1);
                   dx.data()[7] = std::numeric_limits<Scalar>::quiet_NaN();
                   g.add(0, std::move(dx));
                 }),
                 Verdict::not_finite, "input 0 [1, 3] of (3, 4): not finite");
}

TEST(Gradcheck, names_op_input_element_and_both_values) {
  const GradcheckReport report = check_square([](Gradients& g, const Tensor& x) {
    Tensor dx = square_gradient(g, x, 1);
    dx.data()[6] = 12.5;
    g.add(0, std::move(dx));
  });
  expect_wrong(report, WrongKind::one_element, "all others are right");
  EXPECT_THAT(report.message(),
              AllOf(StartsWith("square: input 0 [1, 2] of (3, 4): wrong (one element)\n"),
                    HasSubstr("backward     12.5\n"), HasSubstr("differences  "),
                    HasSubstr("1 of 12 elements of this input differ")));
}

// The derivative of softmax without the term that keeps each row's sum at 1.
TEST(Gradcheck, sees_a_missing_term) {
  const auto softmax_without_sum = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = softmax(plain.constant(x[0].value())).value();
    return tape.record("softmax", {x[0]}, y, [y](Gradients& g) {
      Tensor dx = Tensor::empty(y.shape());
      for (Index i = 0; i < y.size(); ++i) {
        dx.data()[i] = y.data()[i] * g.output().data()[i];
      }
      g.add(0, std::move(dx));
    });
  };
  const GradcheckReport report = gradcheck(softmax_without_sum, {random_tensor({3, 4}, 1)});
  expect_wrong(report, WrongKind::term, "12 of 12 elements");
  expect_wrong(report, WrongKind::term, "each row of the gradient should sum to 0");
}

// x ∘ x / Σ_d x², with a derivative that ignores the sum.
TEST(Gradcheck, sees_a_missing_term_of_a_norm) {
  const auto shares = [](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Var squares = multiply(plain.constant(x[0].value()), plain.constant(x[0].value()));
    const Tensor sums = sum(squares, 1).value();
    Tensor y = squares.value().copy();
    for (Index i = 0; i < y.size(); ++i) {
      y.data()[i] /= sums.data()[i / 4];
    }
    return tape.record("shares", {x[0]}, y, [x = x[0].value(), sums](Gradients& g) {
      Tensor dx = square_gradient(g, x, 1);
      for (Index i = 0; i < dx.size(); ++i) {
        dx.data()[i] /= sums.data()[i / 4];
      }
      g.add(0, std::move(dx));
    });
  };
  expect_wrong(gradcheck(shares, {random_tensor({3, 4}, 1)}), WrongKind::term,
               "each row of the gradient should be at right angles to the input's");
}

TEST(Gradcheck, sees_what_does_not_come_from_the_cotangent) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 for (Scalar& number : dx.values()) {
                   number += 0.5;
                 }
                 g.add(0, std::move(dx));
               }),
               WrongKind::term, "where dL/dy is 0 the gradient is not");
}

// Each row of x also gets half of the next row's gradient.
TEST(Gradcheck, sees_a_gradient_that_goes_astray) {
  expect_wrong(check_square([](Gradients& g, const Tensor& x) {
                 Tensor dx = square_gradient(g, x, 1);
                 for (Index i = 0; i + 4 < dx.size(); ++i) {
                   dx.data()[i] += dx.data()[i + 4] / 2;
                 }
                 g.add(0, std::move(dx));
               }),
               WrongKind::some_rows,
               "only rows 0, 1 are wrong; the output's [1, 0] of (3, 4) sends a gradient to "
               "[0, 0] of (3, 4), which it does not depend on, and 7 more like it");
}

// y = x w. The gradients from columns 5 to 9 of y are lost, as by a loop over only five columns.
TEST(Gradcheck, names_the_part_of_an_output_whose_gradient_is_lost) {
  const auto product = [](Tape& tape, const std::vector<Var>& inputs) {
    Tape plain(false);
    const Tensor a = inputs[0].value();
    const Tensor b = inputs[1].value();
    const Tensor y = matmul(plain.constant(a), plain.constant(b)).value();
    return tape.record("product", inputs, y, [a, b](Gradients& g) {
      Tensor part = g.output().copy();
      for (Index i = 0; i < part.size(); ++i) {
        part.data()[i] *= i % 10 < 5 ? 1 : 0;
      }
      Tape unrecorded(false);
      const Var dy = unrecorded.constant(g.output());
      g.add(0, matmul(unrecorded.constant(part), transpose(unrecorded.constant(b))).value());
      g.add(1, matmul(transpose(unrecorded.constant(a)), dy).value());
    });
  };
  expect_wrong(
      gradcheck(product, {random_tensor({3, 4}, 1), random_tensor({4, 10}, 2)}), WrongKind::term,
      "what comes from the output's columns 5, 6, 7, 8, 9 is wrong, and the rest is right");
}

// Row 1 is used twice, and its second gradient overwrites its first.
TEST(Gradcheck, sees_a_repeated_row_that_is_overwritten) {
  const auto lookup = [](Tape& tape, const std::vector<Var>& table) {
    constexpr std::array<Index, 3> ids{1, 0, 1};
    Tensor y = Tensor::empty({3, 2});
    for (std::size_t n = 0; n < ids.size(); ++n) {
      std::copy_n(table[0].value().row(ids[n]), 2, y.row(static_cast<Index>(n)));
    }
    return tape.record("lookup", {table[0]}, y, [ids](Gradients& g) {
      Tensor dtable = Tensor::zeros({2, 2});
      for (std::size_t n = 0; n < ids.size(); ++n) {
        std::copy_n(g.output().row(static_cast<Index>(n)), 2, dtable.row(ids[n]));
      }
      g.add(0, std::move(dtable));
    });
  };
  expect_wrong(gradcheck(lookup, {random_tensor({2, 2}, 1)}), WrongKind::some_rows,
               "row 1 has the share of the output's row 2 alone");
}

// The matrices are square, so shapes fit; only input 1's gradient is wrong.
TEST(Gradcheck, sees_a_transposed_gradient) {
  const auto product = [](Tape& tape, const std::vector<Var>& inputs) {
    Tape plain(false);
    const Tensor a = inputs[0].value();
    const Tensor b = inputs[1].value();
    const Tensor y = matmul(plain.constant(a), plain.constant(b)).value();
    return tape.record("product", inputs, y, [a, b](Gradients& g) {
      Tape unrecorded(false);
      const Var dy = unrecorded.constant(g.output());
      const Var at = transpose(unrecorded.constant(a));
      const Var bt = transpose(unrecorded.constant(b));
      g.add(0, matmul(dy, bt).value());
      g.add(1, transpose(matmul(at, dy)).value());
    });
  };
  expect_wrong(gradcheck(product, {random_tensor({3, 3}, 1), random_tensor({3, 3}, 2)}),
               WrongKind::transposed, "product: input 1 ");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
