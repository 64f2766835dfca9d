// gradcheck finds mistakes that the given inputs do not show, and survives functions that
// misbehave.
#include <tapehead/gradcheck.hpp>

#include <chrono>

#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/tape/tape.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// y = x + x₂, with a backward pass supplied by the test.
using Backward = void (*)(Gradients&);

GradcheckFunction sum_with(Backward backward) {
  return [backward](Tape& tape, const std::vector<Var>& x) {
    Tape plain(false);
    const Tensor y = add(plain.constant(x[0].value()), plain.constant(x[1].value())).value();
    return tape.record("sum", x, y, [backward](Gradients& g) { backward(g); });
  };
}

const std::vector<Tensor> two_inputs{random_tensor({3, 4}, 1), random_tensor({3, 4}, 2)};

// Input 1's gradient overwrites input 0's gradient if both inputs are the same Var.
TEST(GradcheckProbes, find_a_second_use_that_overwrites_the_first) {
  const auto report = gradcheck(sum_with([](Gradients& g) {
                                  const bool both = g.needs(0) && g.needs(1);
                                  g.add(0, g.output());
                                  if (!g.needs(1)) {
                                    return;
                                  }
                                  const auto [data, accumulate] = g.target(1);
                                  const Tensor& dy = g.output();
                                  for (Index i = 0; i < dy.size(); ++i) {
                                    // Accumulates only if the memory does not hold dy.
                                    const bool own = both && data[i] == dy.data()[i];
                                    data[i] = (accumulate && !own ? data[i] : 0) + dy.data()[i];
                                  }
                                }),
                                two_inputs);
  expect_verdict(report, Verdict::not_accumulated, "seen with one Var as inputs 0 and 1");
}

// y = x, with a zero gradient at one size: as if a loop missed its first row or its remainder, or a
// matrix was taken for its transpose.
TEST(GradcheckProbes, find_a_mistake_at_one_size) {
  const auto forgets = [](Index rows, Index columns) {
    return [rows, columns](Tape& tape, const std::vector<Var>& x) {
      return tape.record("sized", x, x[0].value().copy(), [rows, columns](Gradients& g) {
        Tensor dx = g.output().copy();
        if (dx.dim(0) == rows && dx.dim(1) == columns) {
          std::ranges::fill(dx.values(), Scalar{0});
        }
        g.add(0, std::move(dx));
      });
    };
  };
  const auto expect_seen = [&](Index rows, Index columns, const std::string& probe) {
    expect_verdict(gradcheck(forgets(rows, columns), {random_tensor({3, 4}, 1)}), Verdict::wrong,
                   "seen with " + probe);
  };
  expect_seen(1, 4, "the first row alone");
  expect_seen(2, 4, "two rows");
  expect_seen(6, 4, "the rows doubled");
  expect_seen(4, 4, "as many rows as columns");
  expect_seen(3, 1, "the first column alone");
}

// y = x w with one w per column. A vector with as many numbers as columns is cut with them.
TEST(GradcheckProbes, cut_what_belongs_to_the_columns) {
  const auto scaled = [](Tape& tape, const std::vector<Var>& x) {
    expect_shape(x[1], {x[0].shape()[1]}, "scaled.w");
    Tape plain(false);
    const Tensor y = multiply(plain.constant(x[0].value()), plain.constant(x[1].value())).value();
    return tape.record("scaled", x, y, [a = x[0].value(), w = x[1].value()](Gradients& g) {
      Tensor da = g.output().copy();
      Tensor dw = Tensor::zeros(w.shape());
      for (Index i = 0; i < da.size(); ++i) {
        dw.data()[i % w.size()] += da.data()[i] * a.data()[i];
        da.data()[i] *= w.size() > 1 ? w.data()[i % w.size()] : 1;
      }
      g.add(0, std::move(da));
      g.add(1, std::move(dw));
    });
  };
  expect_verdict(gradcheck(scaled, {random_tensor({3, 4}, 1), random_tensor({4}, 2)}),
                 Verdict::wrong, "seen with the first column alone");
}

TEST(GradcheckProbes, find_a_number_that_is_not_finite_without_rows) {
  const auto centred = [](Tape& tape, const std::vector<Var>& x) {  // y = weight for any x
    return tape.record("centred", x, x[1].value().copy(),
                       [rows = x[0].value().dim(0)](Gradients& g) {
                         Tensor dweight = g.output().copy();
                         for (Scalar& d : dweight.values()) {
                           d *= static_cast<Scalar>(rows) / static_cast<Scalar>(rows);
                         }
                         g.add(0, Tensor::zeros({rows, 2}));
                         g.add(1, std::move(dweight));
                       });
  };
  expect_verdict(gradcheck(centred, {random_tensor({3, 2}, 1), random_tensor({5}, 2)}),
                 Verdict::not_finite, "seen with no rows");
}

// y = 1 / (1 + eˣ), with the derivative written as eˣ / (1 + eˣ)²: ∞ / ∞ for large x.
TEST(GradcheckProbes, find_overflow_far_from_one) {
  const auto logistic = [](Tape& tape, const std::vector<Var>& x) {
    Tensor y = Tensor::empty(x[0].shape());
    std::ranges::transform(x[0].value().values(), y.data(),
                           [](Scalar a) { return 1 / (1 + std::exp(a)); });
    return tape.record("logistic", x, y, [x = x[0].value()](Gradients& g) {
      Tensor dx = g.output().copy();
      for (Index i = 0; i < x.size(); ++i) {
        const Scalar e = std::exp(x.data()[i]);
        dx.data()[i] *= -e / ((1 + e) * (1 + e));
      }
      g.add(0, std::move(dx));
    });
  };
  expect_verdict(gradcheck(logistic, {random_tensor({3, 4}, 1)}), Verdict::not_finite,
                 "seen with inputs 1000 times as large");
  EXPECT_TRUE(gradcheck(logistic, {random_tensor({3, 4}, 1)}, {.probes = false}).ok());
}

// Correct for one segment: the backward pass uses the first segment's first row for every segment.
TEST(GradcheckProbes, find_a_wrong_segment) {
  const auto first_rows = [](Tape& tape, const std::vector<Var>& x, const Segments& segments) {
    const Tensor value = x[0].value();
    const Index D = value.dim(1);
    Tensor y = Tensor::zeros({segments.count(), D});
    for (Index i = 0; i < segments.count(); ++i) {
      if (segments[i].rows > 0) {
        std::copy_n(value.row(segments[i].row), D, y.row(i));
      }
    }
    return tape.record("first_rows", x, y, [segments, D, N = value.dim(0)](Gradients& g) {
      Tensor dx = Tensor::zeros({N, D});
      for (Index i = 0; i < segments.count(); ++i) {
        const Index row = segments[0].row;
        for (Index d = 0; d < D && segments[i].rows > 0; ++d) {
          dx.row(row)[d] += g.output().row(i)[d];
        }
      }
      g.add(0, std::move(dx));
    });
  };
  expect_wrong(gradcheck(first_rows, {random_tensor({5, 3}, 1)}), WrongKind::term,
               "seen with segments of 1, 4 rows");
}

TEST(GradcheckProbes, pass_attention_in_all_cuts) {
  const auto attend = [](Tape&, const std::vector<Var>& x, const Segments& segments) {
    return attention({x[0]}, {x[1]}, {x[2]}, segments, segments,
                     {.heads = 2, .d_key = 3, .d_value = 2, .patterns = {Pattern::causal()}});
  };
  const GradcheckReport report = gradcheck(
      attend, {random_tensor({7, 6}, 1), random_tensor({7, 6}, 2), random_tensor({7, 4}, 3)});
  EXPECT_TRUE(report.ok()) << report.message();
}

TEST(GradcheckOfBadFunctions, names_a_gradient_of_another_shape) {
  const auto report = gradcheck(sum_with([](Gradients& g) {
                                  g.add(0, Tensor::zeros({4, 3}));
                                  g.add(1, g.output());
                                }),
                                two_inputs);
  expect_verdict(report, Verdict::wrong_shape,
                 "sum: the gradient of input 0 has shape (4, 3), the input (3, 4)");
}

TEST(GradcheckOfBadFunctions, names_an_output_that_changes_its_shape) {
  Index calls = 0;
  const auto growing = [&calls](Tape&, const std::vector<Var>& x) {
    return ++calls > 1 ? sum(x[0], 0) : sum(x[0], 1);
  };
  expect_verdict(gradcheck(growing, {random_tensor({3, 4}, 1)}), Verdict::wrong_shape,
                 "the output has shape (4), and before it had (3)");
}

TEST(GradcheckOfBadFunctions, tells_what_is_thrown) {
  const auto forward = [](Tape&, const std::vector<Var>&) -> Var {
    throw std::runtime_error("no such table");
  };
  expect_verdict(gradcheck(forward, {random_tensor({3, 4}, 1)}), Verdict::failed,
                 "it throws: no such table");
  const auto backward = sum_with([](Gradients&) { throw std::out_of_range("row 7"); });
  expect_verdict(gradcheck(backward, two_inputs), Verdict::failed,
                 "sum: failed\n  hint: it throws: row 7");
  const auto number = sum_with([](Gradients&) { throw 7; });
  expect_verdict(gradcheck(number, two_inputs), Verdict::failed, "no std::exception");
}

TEST(GradcheckOfBadFunctions, sees_a_target_that_nobody_needs) {
  const auto careless = sum_with([](Gradients& g) {
    for (const Index k : {0, 1}) {
      const auto [data, accumulate] = g.target(k);
      for (Index i = 0; i < g.output().size(); ++i) {
        data[i] = (accumulate ? data[i] : 0) + g.output().data()[i];
      }
    }
  });
  expect_verdict(gradcheck(careless, two_inputs), Verdict::failed, "ask needs(0) before");
}

TEST(GradcheckOfBadFunctions, sees_the_clock) {
  const auto clock = [](Tape&, const std::vector<Var>& x) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return scale(x[0], static_cast<Scalar>(now));
  };
  expect_verdict(gradcheck(clock, {random_tensor({3, 4}, 1)}), Verdict::nondeterministic,
                 "a clock, an address");
}

TEST(GradcheckOfBadFunctions, sees_an_output_that_is_not_finite) {
  expect_verdict(gradcheck([](Tape&, const std::vector<Var>& x) { return log(x[0]); },
                           {Tensor::of({2}, {1, -1})}),
                 Verdict::not_finite, "element 1 of the output is not finite");
}

TEST(GradcheckOfBadFunctions, needs_no_inputs) {
  const auto constant = [](Tape& tape, const std::vector<Var>&) {
    return tape.constant(Tensor::zeros({2}));
  };
  EXPECT_TRUE(gradcheck(constant, {}).ok());
}

// y = x, with a closure that throws if a condition holds.
GradcheckReport check_throwing(const std::function<bool(const Gradients&)>& throws) {
  return gradcheck(
      [&](Tape& tape, const std::vector<Var>& x) {
        Tape plain(false);
        const Tensor y = add(plain.constant(x[0].value()), plain.constant(x[1].value())).value();
        return tape.record("careless", x, y, [throws](Gradients& g) {
          if (throws(g)) {
            throw std::out_of_range("row 0");
          }
          g.add(0, g.output());
          g.add(1, g.output());
        });
      },
      two_inputs);
}

TEST(GradcheckOfBadFunctions, says_with_which_inputs_it_throws) {
  const auto rows = [](Index count) {
    return [count](const Gradients& g) { return g.output().dim(0) == count; };
  };
  expect_verdict(check_throwing(rows(0)), Verdict::failed,
                 "careless: failed\n  seen with no rows\n  hint: it throws: row 0");
  expect_verdict(check_throwing(rows(1)), Verdict::failed, "seen with the first row alone");
  expect_verdict(check_throwing([](const Gradients& g) { return !g.needs(1); }), Verdict::failed,
                 "seen with input 1 as a constant");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
