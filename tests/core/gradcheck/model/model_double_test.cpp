// Gradient checks of whole models: each kind of mistake is found in the parameter that has it.
#include <tapehead/gradcheck.hpp>

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// y = x, with a gradient changed by `spoil`.
Var spoilt(const Var& x, const std::function<void(Tensor& gradient)>& spoil) {
  return x.tape().record("spoilt", {x}, x.value(), [spoil](Gradients& g) {
    Tensor gradient = g.output().copy();
    spoil(gradient);
    g.add(0, std::move(gradient));
  });
}

// mean(relu(x W₁ᵀ + b) W₂ᵀ); `spoil` changes the gradient of W₁.
class TwoLayers : public Test {
 protected:
  TwoLayers() {
    inner_ = store_.root().create("inner.weight", ParameterKind::matrix, {30, 40},
                                  Initializer::normal(0.3));
    bias_ = store_.root().create("inner.bias", ParameterKind::bias, {30}, Initializer::normal(0.3));
    outer_ = store_.root().create("outer.weight", ParameterKind::matrix, {5, 30},
                                  Initializer::normal(0.3));
    store_.initialize(1);
  }

  Var leaf(Tape& tape, ParameterGradients& gradients, const Parameter& parameter) {
    return tape.parameter(store_.value(parameter), gradients.slot(parameter.block));
  }

  ModelLoss loss(std::function<void(Tensor&)> spoil = [](Tensor&) {}) {
    return [this, spoil = std::move(spoil)](Tape& tape, ParameterGradients& gradients) {
      const Var x = tape.constant(random_tensor({7, 40}, 1));
      const Var hidden = bias_activation(linear(x, spoilt(leaf(tape, gradients, inner_), spoil)),
                                         leaf(tape, gradients, bias_), Activation::relu);
      return mean(linear(hidden, leaf(tape, gradients, outer_)));
    };
  }

  void expect(const ModelGradcheckReport& report, Verdict verdict, WrongKind kind,
              const std::string& message) const {
    ASSERT_EQ(report.parameters.size(), 3U);
    EXPECT_EQ(name_of(report.parameters[0].finding.verdict), name_of(verdict)) << report.message();
    EXPECT_EQ(name_of(report.parameters[0].finding.kind), name_of(kind)) << report.message();
    EXPECT_THAT(report.message(), HasSubstr(message));
    EXPECT_EQ(report.parameters[1].finding.verdict, Verdict::correct);
    EXPECT_EQ(report.parameters[2].finding.verdict, Verdict::correct);
  }

  ParameterStore store_;
  Parameter inner_;
  Parameter bias_;
  Parameter outer_;
};

TEST_F(TwoLayers, pass_when_right) {
  const Tensor before = store_.values().copy();
  const ModelGradcheckReport report = gradcheck_model(store_, loss());
  EXPECT_TRUE(report.ok()) << report.message();
  ASSERT_EQ(report.parameters.size(), 3U);
  EXPECT_EQ(report.parameters[0].name, "inner.weight");
  EXPECT_LT(report.parameters[0].error, 1e-6);
  EXPECT_THAT(store_.values().values(), ElementsAreArray(before.values()))
      << "the parameters are as before";
}

TEST_F(TwoLayers, pass_in_many_directions) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ModelGradcheckReport report = gradcheck_model(store_, loss(), {.seed = seed});
    EXPECT_TRUE(report.ok()) << "seed " << seed << "\n" << report.message();
  }
}

TEST_F(TwoLayers, fail_with_a_sign) {
  const ModelLoss negative = loss([](Tensor& gradient) {
    for (Scalar& g : gradient.values()) {
      g = -g;
    }
  });
  expect(gradcheck_model(store_, negative), Verdict::wrong, WrongKind::sign, "inner.weight: [");
}

// Scales the loss by s; W₁ is 1e20 times as large, and the forward pass multiplies it by 1e-20.
TEST_F(TwoLayers, are_judged_the_same_at_every_scale) {
  for (Scalar& w : store_.value(inner_).values()) {
    w *= 1e20;
  }
  const auto scaled = [this](double s, Scalar factor) -> ModelLoss {
    const auto spoil = [factor](Tensor& gradient) {
      std::ranges::for_each(gradient.values(), [factor](Scalar& g) { g *= factor; });
    };
    return [this, s, spoil](Tape& tape, ParameterGradients& gradients) {
      const Var inner = scale(spoilt(leaf(tape, gradients, inner_), spoil), 1e-20);
      const Var x = tape.constant(random_tensor({7, 40}, 1));
      const Var hidden =
          bias_activation(linear(x, inner), leaf(tape, gradients, bias_), Activation::relu);
      return scale(mean(linear(hidden, leaf(tape, gradients, outer_))), s);
    };
  };
  for (const double s : {1e-30, 1e-9, 1.0, 1e30}) {
    const ModelGradcheckReport right = gradcheck_model(store_, scaled(s, 1));
    EXPECT_TRUE(right.ok()) << s << "\n" << right.message();
    expect(gradcheck_model(store_, scaled(s, -1)), Verdict::wrong, WrongKind::sign, "sign");
    expect(gradcheck_model(store_, scaled(s, 0)), Verdict::wrong, WrongKind::no_gradient, "zeros");
    expect(gradcheck_model(store_, scaled(s, 2)), Verdict::wrong, WrongKind::factor, "2 times");
  }
}

TEST_F(TwoLayers, fail_with_wrong_rows_by_their_numbers) {
  const ModelLoss last_rows =
      loss([](Tensor& gradient) { std::fill(gradient.row(23), gradient.row(30), Scalar{0}); });
  // gradcheck_model checks eight of the 30 rows, evenly spread: 0, 4, 8, 12, 16, 20, 24, 29.
  expect(gradcheck_model(store_, last_rows), Verdict::wrong, WrongKind::some_rows,
         "only rows 24, 29 are wrong; nothing arrives there");
}

TEST_F(TwoLayers, fail_with_a_small_error) {
  const ModelLoss off = loss([](Tensor& gradient) {
    for (Scalar& g : gradient.values()) {
      g *= 1 + 1e-5;
    }
  });
  expect(gradcheck_model(store_, off), Verdict::wrong, WrongKind::factor, "1.00001 times");
}

// A gradient error that depends on the last bits of the parameters, as from the rounding of a sum
// whose terms cancel: 1e16 times a parameter has lost those bits.
TEST_F(TwoLayers, are_not_called_wrong_where_the_gradient_is_rounded) {
  const ModelLoss rounded = loss([this](Tensor& gradient) {
    const Scalar error = 1e-4 * std::sin(1e16 * store_.value(inner_).data()[0]);
    for (Scalar& g : gradient.values()) {
      g *= 1 + error;
    }
  });
  const Tensor before = store_.values().copy();
  expect(gradcheck_model(store_, rounded), Verdict::too_little_precision, WrongKind::none,
         "changes in the last bits of the parameters");
  EXPECT_THAT(store_.values().values(), ElementsAreArray(before.values()))
      << "the parameters are as before";
}

// 1 + s |b|², with the gradient of b multiplied by a factor. The loss has a rounding error of
// 2e-16; the first step is 3e-3, which is 1e-2 of the size of b.
TEST_F(TwoLayers, are_judged_by_slopes_far_below_the_loss) {
  const auto small = [this](double s, Scalar factor) {
    const ModelLoss sum = [this, s, factor](Tape& tape, ParameterGradients& gradients) {
      const Var b = spoilt(leaf(tape, gradients, bias_), [factor](Tensor& gradient) {
        std::ranges::for_each(gradient.values(), [factor](Scalar& g) { g *= factor; });
      });
      const Var mean_square = mean(multiply(b, b));
      return add(tape.constant(Tensor::full(mean_square.shape(), 1)), scale(mean_square, 30 * s));
    };
    const auto bias_alone = [](std::string_view name) { return name == "inner.bias"; };
    return gradcheck_model(store_, sum, {.wanted = bias_alone});
  };
  for (const double s : {1.0, 1e-6, 1e-9, 1e-10}) {
    const ModelGradcheckReport wrong = small(s, 3);
    EXPECT_EQ(name_of(wrong.parameters[0].finding.kind), name_of(WrongKind::factor))
        << s << "\n"
        << wrong.message();
  }
  for (const Scalar factor : {1, 3}) {
    const ModelGradcheckReport hidden = small(1e-14, factor);
    EXPECT_FALSE(hidden.ok());
    EXPECT_TRUE(hidden.parameters[0].too_small);
    EXPECT_THAT(hidden.message(), HasSubstr("the loss: cannot tell\n  hint: the loss, 1, is too "
                                            "large for differences"));
  }
  const ModelGradcheckReport right = small(1, 1);
  EXPECT_TRUE(right.ok()) << right.message();
  EXPECT_FALSE(right.parameters[0].too_small);
}

TEST_F(TwoLayers, fail_without_a_gradient) {
  const ModelLoss cut_off = [this](Tape& tape, ParameterGradients& gradients) {
    const Var x = tape.constant(random_tensor({7, 40}, 1));
    const Var inner = tape.constant(store_.value(inner_));
    const Var hidden =
        bias_activation(linear(x, inner), leaf(tape, gradients, bias_), Activation::relu);
    return mean(linear(hidden, leaf(tape, gradients, outer_)));
  };
  expect(gradcheck_model(store_, cut_off), Verdict::wrong, WrongKind::no_gradient,
         "no gradient arrives, and the loss depends on it");
}

TEST_F(TwoLayers, name_a_parameter_without_use) {
  const ModelLoss without_inner = [this](Tape& tape, ParameterGradients& gradients) {
    const Var x = tape.constant(random_tensor({7, 30}, 1));
    const Var hidden = bias_activation(x, leaf(tape, gradients, bias_), Activation::relu);
    return mean(linear(hidden, leaf(tape, gradients, outer_)));
  };
  expect(gradcheck_model(store_, without_inner), Verdict::unused_input, WrongKind::none,
         "a parameter that no layer uses");
}

// The bias cancels out and changes the loss only by rounding: the parameter is unused.
TEST_F(TwoLayers, name_a_parameter_that_cancels) {
  const ModelLoss cancelled = [this](Tape& tape, ParameterGradients& gradients) {
    const Var bias = tape.constant(store_.value(bias_));
    const Var hidden =
        linear(tape.constant(random_tensor({7, 40}, 1)), leaf(tape, gradients, inner_));
    return mean(exp(subtract(add(hidden, bias), bias)));
  };
  const auto bias_alone = [](std::string_view name) { return name == "inner.bias"; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ModelGradcheckReport report =
        gradcheck_model(store_, cancelled, {.seed = seed, .wanted = bias_alone});
    EXPECT_THAT(report.message(), HasSubstr("a parameter that no layer uses")) << "seed " << seed;
  }
}

// Rows 4 and 8 of the 30 are used; both are among the checked rows.
TEST_F(TwoLayers, tell_rows_without_a_gradient_from_rows_without_use) {
  const auto looked_up = [this](std::function<void(Tensor&)> spoil) -> ModelLoss {
    return [this, spoil = std::move(spoil)](Tape& tape, ParameterGradients& gradients) {
      return mean(
          exp(lookup(spoilt(leaf(tape, gradients, inner_), spoil), std::vector<TokenId>{4, 8, 4})));
    };
  };
  const auto inner_alone = [](std::string_view name) { return name == "inner.weight"; };
  const ModelGradcheckReport row = gradcheck_model(
      store_,
      looked_up([](Tensor& gradient) { std::fill(gradient.row(8), gradient.row(9), Scalar{0}); }),
      {.wanted = inner_alone});
  EXPECT_EQ(name_of(row.parameters[0].finding.kind), name_of(WrongKind::some_rows))
      << row.message();
  EXPECT_THAT(row.message(), HasSubstr("8"));
  const ModelGradcheckReport all = gradcheck_model(store_, looked_up([](Tensor& gradient) {
                                                     for (Index i = 0; i < gradient.size(); ++i) {
                                                       gradient.data()[i] *=
                                                           static_cast<Scalar>(2 + i % 3);
                                                     }
                                                   }),
                                                   {.wanted = inner_alone});
  EXPECT_EQ(name_of(all.parameters[0].finding.kind), name_of(WrongKind::term)) << all.message();
}

TEST_F(TwoLayers, name_a_gradient_that_is_not_finite) {
  const ModelLoss bad = loss([](Tensor& gradient) { gradient.data()[41] = NAN; });
  const bool before = std::exchange(checks().finite, false);
  expect(gradcheck_model(store_, bad), Verdict::not_finite, WrongKind::none,
         "inner.weight: [1, 1] of (30, 40): not finite");
  checks().finite = before;
}

TEST_F(TwoLayers, cannot_be_judged_when_the_loss_changes) {
  Scalar calls = 0;
  const ModelLoss moving = [&](Tape& tape, ParameterGradients& gradients) {
    calls += 1;
    return mean(linear(tape.constant(Tensor::full({1, 40}, calls)), leaf(tape, gradients, inner_)));
  };
  const ModelGradcheckReport report = gradcheck_model(store_, moving);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.parameters.empty());
  EXPECT_THAT(report.message(), HasSubstr("the loss: nondeterministic"));
}

TEST_F(TwoLayers, are_checked_as_far_as_wanted) {
  const auto outer_alone = [](std::string_view name) { return name.starts_with("outer"); };
  const ModelGradcheckReport report = gradcheck_model(store_, loss(), {.wanted = outer_alone});
  ASSERT_EQ(report.parameters.size(), 1U);
  EXPECT_EQ(report.parameters[0].name, "outer.weight");
}

TEST_F(TwoLayers, need_a_loss_of_one_number) {
  const ModelLoss three = [this](Tape& tape, ParameterGradients& gradients) {
    return linear(tape.constant(random_tensor({3, 40}, 1)), leaf(tape, gradients, inner_));
  };
  EXPECT_THAT([&] { gradcheck_model(store_, three); },
              ThrowsMessage<ShapeError>(HasSubstr("the loss has shape (3, 30)")));
}

TEST(ModelGradcheck, takes_a_parameter_without_numbers_for_right) {
  ParameterStore store;
  const Parameter weight =
      store.root().create("weight", ParameterKind::matrix, {3, 4}, Initializer::normal(1));
  store.root().create("empty", ParameterKind::matrix, {0, 4}, Initializer::normal(1));
  store.initialize(1);
  const ModelLoss square = [&](Tape& tape, ParameterGradients& gradients) {
    const Var w = tape.parameter(store.value(weight), gradients.slot(weight.block));
    return mean(multiply(w, w));
  };
  const ModelGradcheckReport report = gradcheck_model(store, square);
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report.parameters.size(), 2U);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
