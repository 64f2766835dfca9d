// gradcheck finds mistakes that the given inputs do not show, and survives functions that
// misbehave.
#include <tapehead/gradcheck.hpp>

#include <chrono>

#include "core/ops/arithmetic.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/core/gradcheck/mutants/planting.hpp"
#include "tests/support/expect_verdict.hpp"
#include "tests/support/square.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const Tensor one_input = random_tensor({3, 4}, 1);
const Tensors two_inputs{one_input, random_tensor({3, 4}, 2)};

// Input 1's gradient overwrites input 0's gradient if both inputs are the same Var.
TEST(GradcheckProbes, find_a_second_use_that_overwrites_the_first) {
  const auto overwriting = sum_with([](Gradients& g) {
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
  });
  expect_verdict(gradcheck(overwriting, two_inputs), Verdict::not_accumulated,
                 "seen with one Var as inputs 0 and 1");
}

// y = x, with a zero gradient at one size: as if a loop missed its first row or its remainder, or a
// matrix was taken for its transpose.
TEST(GradcheckProbes, find_a_mistake_at_one_size) {
  const GradcheckFunction same = [](Tape&, const Vars& x) { return scale(x[0], 1); };
  const std::vector<std::pair<Shape, std::string>> cases{
      {{1, 4}, "the first row alone"},    {{2, 4}, "two rows"},
      {{6, 4}, "the rows doubled"},       {{4, 4}, "as many rows as columns"},
      {{3, 1}, "the first column alone"},
  };
  for (const auto& [shape, probe] : cases) {
    const Spoil forgets = [at = shape](BackwardPass& pass) {
      if (pass.inputs[0].shape() == at) {
        std::ranges::fill(pass.gradients[0].values(), Scalar{0});
      }
    };
    SCOPED_TRACE(probe);
    expect_verdict(gradcheck(with_gradients(same, forgets), {one_input}), Verdict::wrong,
                   "seen with " + probe);
  }
}

// y = x w with one w per column. A vector with as many numbers as columns is cut with them.
TEST(GradcheckProbes, cut_what_belongs_to_the_columns) {
  const GradcheckFunction scaled = [](Tape&, const Vars& x) {
    expect_shape(x[1], {x[0].shape()[1]}, "scaled.w");
    return multiply(x[0], x[1]);
  };
  const Spoil no_single_w = [](BackwardPass& pass) {
    if (pass.inputs[1].size() == 1) {
      pass.gradients[0] = pass.dy.copy();
    }
  };
  expect_verdict(gradcheck(with_gradients(scaled, no_single_w), {one_input, random_tensor({4}, 2)}),
                 Verdict::wrong, "seen with the first column alone");
}

TEST(GradcheckProbes, find_a_number_that_is_not_finite_without_rows) {
  const auto centred = [](Tape& tape, const Vars& x) {  // y = weight for any x
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
  const auto logistic = elementwise([](double a) { return 1 / (1 + std::exp(a)); },
                                    [](double a) {
                                      const double e = std::exp(a);
                                      return -e / ((1 + e) * (1 + e));
                                    });
  expect_verdict(gradcheck(logistic, {one_input}), Verdict::not_finite,
                 "seen with inputs 1000 times as large");
  EXPECT_TRUE(gradcheck(logistic, {one_input}, {.probes = false}).ok());
}

// Correct for one segment: the backward pass uses the first segment's first row for every segment.
TEST(GradcheckProbes, find_a_wrong_segment) {
  const auto first_rows = [](Tape& tape, const Vars& x, const Segments& segments) {
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

// A sum whose backward pass throws if a condition holds.
GradcheckFunction throwing(const std::function<bool(const Gradients&)>& condition) {
  return sum_with([condition](Gradients& g) {
    if (condition(g)) {
      throw std::out_of_range("row 7");
    }
    g.add(0, g.output());
    g.add(1, g.output());
  });
}

TEST(GradcheckOfBadFunctions, tells_what_is_wrong_with_them) {
  struct Case {
    Verdict verdict;
    std::string message;
    GradcheckFunction function;
  };
  const auto with_rows = [](Index count) {
    return throwing([count](const Gradients& g) { return g.output().dim(0) == count; });
  };
  Index calls = 0;
  const std::vector<Case> cases{
      {Verdict::wrong_shape, "sum: the gradient of input 0 has shape (4, 3), the input (3, 4)",
       sum_with([](Gradients& g) {
         g.add(0, Tensor::zeros({4, 3}));
         g.add(1, g.output());
       })},
      {Verdict::wrong_shape, "the output has shape (4), but had (3) in the first run",
       [&calls](Tape&, const Vars& x) { return sum(add(x[0], x[1]), ++calls > 1 ? 0 : 1); }},
      {Verdict::failed, "it throws: no such table",
       [](Tape&, const Vars&) -> Var { throw std::runtime_error("no such table"); }},
      {Verdict::failed, "sum: failed\n  hint: it throws: row 7",
       throwing([](const Gradients&) { return true; })},
      {Verdict::failed, "not a std::exception", sum_with([](Gradients&) { throw 7; })},
      {Verdict::failed, "sum: failed\n  seen with no rows\n  hint: it throws: row 7", with_rows(0)},
      {Verdict::failed, "seen with the first row alone", with_rows(1)},
      {Verdict::failed, "seen with input 1 as a constant",
       throwing([](const Gradients& g) { return !g.needs(1); })},
      {Verdict::failed, "ask needs(0) before", sum_with([](Gradients& g) {
         for (const Index k : {0, 1}) {
           const auto [data, accumulate] = g.target(k);
           for (Index i = 0; i < g.output().size(); ++i) {
             data[i] = (accumulate ? data[i] : 0) + g.output().data()[i];
           }
         }
       })},
      {Verdict::nondeterministic, "a clock, an address",
       [](Tape&, const Vars& x) {
         const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
         return scale(add(x[0], x[1]), static_cast<Scalar>(now));
       }},
  };
  for (const auto& [verdict, message, function] : cases) {
    SCOPED_TRACE(message);
    expect_verdict(gradcheck(function, two_inputs), verdict, message);
  }
}

TEST(GradcheckOfBadFunctions, sees_an_output_that_is_not_finite) {
  expect_verdict(
      gradcheck([](Tape&, const Vars& x) { return log(x[0]); }, {Tensor::of({2}, {1, -1})}),
      Verdict::not_finite, "element 1 of the output is not finite");
}

TEST(GradcheckOfBadFunctions, needs_no_inputs) {
  const auto constant = [](Tape& tape, const Vars&) { return tape.constant(Tensor::zeros({2})); };
  EXPECT_TRUE(gradcheck(constant, {}).ok());
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
