// Gradient checks of whole models: each kind of mistake is found in the parameter that has it.
#include <tapehead/gradcheck.hpp>

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using SpoilTensor = std::function<void(Tensor& gradient)>;

SpoilTensor multiplied(Scalar by) {
  return [by](Tensor& gradient) {
    std::ranges::for_each(gradient.values(), [by](Scalar& g) { g *= by; });
  };
}

SpoilTensor without_rows(Index first, Index last) {
  return [first, last](Tensor& gradient) {
    std::fill(gradient.row(first), gradient.row(last), Scalar{0});
  };
}

// y = x, with a gradient changed by `spoil`.
Var spoilt(const Var& x, const SpoilTensor& spoil) {
  return x.tape().record("spoilt", {x}, x.value(), [spoil](Gradients& g) {
    Tensor gradient = g.output().copy();
    spoil(gradient);
    g.add(0, std::move(gradient));
  });
}

// Options to check one parameter alone.
ModelGradcheckOptions only(const std::string& name, std::uint64_t seed = 1) {
  return {.seed = seed, .wanted = [name](std::string_view other) { return other == name; }};
}

// mean(relu(x W₁ᵀ + b) W₂ᵀ)
class TwoLayers : public Test {
 protected:
  TwoLayers() {
    const Initializer normal = Initializer::normal(0.3);
    inner_ = store_.root().create("inner.weight", ParameterKind::matrix, {30, 40}, normal);
    bias_ = store_.root().create("inner.bias", ParameterKind::bias, {30}, normal);
    outer_ = store_.root().create("outer.weight", ParameterKind::matrix, {5, 30}, normal);
    store_.initialize(1);
  }

  Var leaf(Tape& tape, ParameterGradients& gradients, const Parameter& parameter) {
    return tape.parameter(store_.value(parameter), gradients.slot(parameter.block));
  }

  // The loss with W₁ from `inner`.
  ModelLoss loss_with(ModelLoss inner) {
    return [this, inner = std::move(inner)](Tape& tape, ParameterGradients& gradients) {
      const Var x = tape.constant(random_tensor({7, 40}, 1));
      const Var hidden = bias_activation(linear(x, inner(tape, gradients)),
                                         leaf(tape, gradients, bias_), Activation::relu);
      return mean(linear(hidden, leaf(tape, gradients, outer_)));
    };
  }

  // The loss with a spoilt gradient of W₁.
  ModelLoss loss(SpoilTensor spoil = multiplied(1)) {
    return loss_with([this, spoil = std::move(spoil)](Tape& tape, ParameterGradients& gradients) {
      return spoilt(leaf(tape, gradients, inner_), spoil);
    });
  }

  // Expects a finding about W₁ alone, and the values of all parameters as they were.
  void expect(const ModelLoss& wrong_loss, Verdict verdict, WrongKind kind,
              const std::string& message) {
    SCOPED_TRACE(message);
    const Tensor before = store_.values().copy();
    const ModelGradcheckReport report = gradcheck_model(store_, wrong_loss);
    ASSERT_EQ(report.parameters.size(), 3U);
    EXPECT_EQ(name_of(report.parameters[0].finding.verdict), name_of(verdict)) << report.message();
    EXPECT_EQ(name_of(report.parameters[0].finding.kind), name_of(kind)) << report.message();
    EXPECT_THAT(report.message(), HasSubstr(message));
    EXPECT_EQ(report.parameters[1].finding.verdict, Verdict::correct);
    EXPECT_EQ(report.parameters[2].finding.verdict, Verdict::correct);
    EXPECT_THAT(store_.values().values(), ElementsAreArray(before.values()));
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
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ModelGradcheckReport other = gradcheck_model(store_, loss(), {.seed = seed});
    EXPECT_TRUE(other.ok()) << "seed " << seed << "\n" << other.message();
  }
}

TEST_F(TwoLayers, fail_with_wrong_numbers) {
  expect(loss(multiplied(-1)), Verdict::wrong, WrongKind::sign, "inner.weight: [");
  expect(loss(multiplied(1 + 1e-5)), Verdict::wrong, WrongKind::factor, "1.00001 times");
  // gradcheck_model checks eight of the 30 rows, evenly spread: 0, 4, 8, 12, 16, 20, 24, 29.
  expect(loss(without_rows(23, 30)), Verdict::wrong, WrongKind::some_rows,
         "only rows 24, 29 are wrong; no gradient arrives there");
  const bool before = std::exchange(checks().finite, false);
  expect(loss([](Tensor& gradient) { gradient.data()[41] = NAN; }), Verdict::not_finite,
         WrongKind::none, "inner.weight: [1, 1] of (30, 40): not finite");
  checks().finite = before;
}

// Scales the loss by s; W₁ is 1e20 times as large, and the forward pass multiplies it by 1e-20.
TEST_F(TwoLayers, are_judged_the_same_at_every_scale) {
  Tensor weight = store_.value(inner_);
  multiplied(1e20)(weight);
  const auto scaled = [this](double s, Scalar factor) -> ModelLoss {
    const ModelLoss whole = loss_with([=, this](Tape& tape, ParameterGradients& gradients) {
      return scale(spoilt(leaf(tape, gradients, inner_), multiplied(factor)), 1e-20);
    });
    return [s, whole](Tape& tape, ParameterGradients& gradients) {
      return scale(whole(tape, gradients), s);
    };
  };
  for (const double s : {1e-30, 1e-9, 1.0, 1e30}) {
    const ModelGradcheckReport right = gradcheck_model(store_, scaled(s, 1));
    EXPECT_TRUE(right.ok()) << s << "\n" << right.message();
    expect(scaled(s, -1), Verdict::wrong, WrongKind::sign, "sign");
    expect(scaled(s, 0), Verdict::wrong, WrongKind::no_gradient, "the gradient is 0 everywhere");
    expect(scaled(s, 2), Verdict::wrong, WrongKind::factor, "2 times");
  }
}

// A gradient error that depends on the last bits of the parameters, as from the rounding of a sum
// whose terms cancel: 1e16 times a parameter has lost those bits.
TEST_F(TwoLayers, are_not_called_wrong_where_the_gradient_is_rounded) {
  const SpoilTensor rounded = [this](Tensor& gradient) {
    multiplied(1 + 1e-4 * std::sin(1e16 * store_.value(inner_).data()[0]))(gradient);
  };
  expect(loss(rounded), Verdict::too_little_precision, WrongKind::none,
         "changes in the last bits of the parameters");
}

// 1 + s |b|², with the gradient of b multiplied by a factor. The loss has a rounding error of
// 2e-16; the first step is 3e-3, which is 1e-2 of the size of b.
TEST_F(TwoLayers, are_judged_by_slopes_far_below_the_loss) {
  const auto small = [this](double s, Scalar factor) {
    const ModelLoss sum = [this, s, factor](Tape& tape, ParameterGradients& gradients) {
      const Var b = spoilt(leaf(tape, gradients, bias_), multiplied(factor));
      const Var mean_square = mean(multiply(b, b));
      return add(tape.constant(Tensor::full(mean_square.shape(), 1)), scale(mean_square, 30 * s));
    };
    return gradcheck_model(store_, sum, only("inner.bias"));
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

TEST_F(TwoLayers, fail_without_a_gradient_or_a_use) {
  const auto cut_off = [this](Tape& tape, ParameterGradients&) {
    return tape.constant(store_.value(inner_));
  };
  expect(loss_with(cut_off), Verdict::wrong, WrongKind::no_gradient,
         "no gradient arrives, but the loss depends on this parameter");
  const auto copied = [copy = store_.value(inner_).copy()](Tape& tape, ParameterGradients&) {
    return tape.constant(copy);
  };
  expect(loss_with(copied), Verdict::unused_input, WrongKind::none,
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
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ModelGradcheckReport report =
        gradcheck_model(store_, cancelled, only("inner.bias", seed));
    EXPECT_THAT(report.message(), HasSubstr("a parameter that no layer uses")) << "seed " << seed;
  }
}

// Rows 4 and 8 of the 30 are used; both are among the checked rows.
TEST_F(TwoLayers, tell_rows_without_a_gradient_from_rows_without_use) {
  const auto looked_up = [this](const SpoilTensor& spoil) {
    const ModelLoss sum = [this, spoil](Tape& tape, ParameterGradients& gradients) {
      const Var table = spoilt(leaf(tape, gradients, inner_), spoil);
      return mean(exp(lookup(table, std::vector<TokenId>{4, 8, 4})));
    };
    return gradcheck_model(store_, sum, only("inner.weight"));
  };
  const ModelGradcheckReport row = looked_up(without_rows(8, 9));
  EXPECT_EQ(name_of(row.parameters[0].finding.kind), name_of(WrongKind::some_rows))
      << row.message();
  EXPECT_THAT(row.message(), HasSubstr("8"));
  const ModelGradcheckReport all = looked_up([](Tensor& gradient) {
    for (Index i = 0; i < gradient.size(); ++i) {
      gradient.data()[i] *= static_cast<Scalar>(2 + i % 3);
    }
  });
  EXPECT_EQ(name_of(all.parameters[0].finding.kind), name_of(WrongKind::term)) << all.message();
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
  const ModelGradcheckReport report = gradcheck_model(store_, loss(), only("outer.weight"));
  EXPECT_THAT(report.parameters,
              ElementsAre(::testing::Field(&ParameterCheck::name, "outer.weight")));
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
  const Initializer normal = Initializer::normal(1);
  const Parameter weight = store.root().create("weight", ParameterKind::matrix, {3, 4}, normal);
  store.root().create("empty", ParameterKind::matrix, {0, 4}, normal);
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
