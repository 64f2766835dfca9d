// gradcheck at scales of 1e-30 to 1e30: correct gradients pass, and mistakes are found and named as
// they are near 1. Mistakes are relative to the correct gradient.
#include "core/random/draws.hpp"
#include "tests/core/gradcheck/mutants/corruptions.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"
#include "tests/core/gradcheck/mutants/seeds.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct Curve {
  std::string name;
  Function value;
  Function slope;
};

// In 0.5 ... 1.5 and -1.5 ... -0.5 all curves are finite, with slopes away from zero.
std::vector<Curve> curves() {
  return {{"x", [](double x) { return x; }, [](double) { return 1.0; }},
          {"x^2", [](double x) { return x * x; }, [](double x) { return 2 * x; }},
          {"x^3", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }},
          {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
          {"tanh", [](double x) { return std::tanh(x); },
           [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); }},
          {"log", [](double x) { return std::log(x * x); }, [](double x) { return 2 / x; }},
          {"1/x", [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }}};
}

// A sequence of random numbers for a seed.
class ScaleDraws {
 public:
  explicit ScaleDraws(std::uint64_t seed) : draws_(seed, "tests.gradcheck.scale", 0) {}

  double uniform() { return draw_uniform(draws_, next_++); }
  double scale() { return std::pow(10, 60 * uniform() - 30); }  // 1e-30 ... 1e30
  double number() { return (0.5 + uniform()) * (uniform() < 0.5 ? -1 : 1); }

 private:
  Draws draws_;
  std::uint64_t next_ = 0;
};

// y_i = s_i f(x_i / t_i)
struct ScaledCurve {
  Curve curve;
  Shape shape;
  std::vector<double> s;
  std::vector<double> t;
  Tensor at;
};

// All elements share one scale, or each has its own.
ScaledCurve scaled_curve(const Curve& curve, bool own_scales, std::uint64_t seed) {
  ScaleDraws draws(seed);
  ScaledCurve result{
      .curve = curve, .shape = {3, 4}, .s = {}, .t = {}, .at = Tensor::empty({3, 4})};
  for (std::size_t i = 0; i < 12; ++i) {
    result.s.push_back(i == 0 || own_scales ? draws.scale() : result.s[0]);
    result.t.push_back(i == 0 || own_scales ? draws.scale() : result.t[0]);
    result.at.data()[i] = result.t[i] * draws.number();
  }
  return result;
}

// Applies a mistake to dL/dx, of shape (3, 4); `dy` is dL/dy.
using SpoilGradient = std::function<void(Tensor& dx, const Tensor& dy)>;

GradcheckFunction function_of(const ScaledCurve& subject, const SpoilGradient& spoil) {
  return [subject, spoil](Tape& tape, const std::vector<Var>& inputs) {
    const Tensor x = inputs[0].value();
    expect_shape(inputs[0], subject.shape, "scaled.x");  // each element has its own scales
    const auto scaled = [subject, x](Index i) {
      return x.data()[i] / subject.t[static_cast<std::size_t>(i)];
    };
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(); ++i) {
      y.data()[i] = subject.s[static_cast<std::size_t>(i)] * subject.curve.value(scaled(i));
    }
    return tape.record("scaled", inputs, std::move(y), [subject, spoil, scaled](Gradients& g) {
      Tensor dx = g.output().copy();
      for (Index i = 0; i < dx.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        dx.data()[i] *= subject.s[k] / subject.t[k] * subject.curve.slope(scaled(i));
      }
      spoil(dx, g.output());
      g.add(0, std::move(dx));
    });
  };
}

struct ScaledMutant {
  std::string name;
  WrongKind kind;
  SpoilGradient spoil;
};

std::vector<ScaledMutant> scaled_mutants() {
  using enum WrongKind;
  const auto times = [](double by, const std::function<bool(Index row, Index column)>& where) {
    return [by, where](Tensor& dx, const Tensor&) {
      for (Index i = 0; i < dx.size(); ++i) {
        dx.data()[i] *= where(i / dx.dim(1), i % dx.dim(1)) ? by : 1;
      }
    };
  };
  const auto all = [](Index, Index) { return true; };
  const auto one = [](Index row, Index column) { return row == 1 && column == 2; };
  const auto layout = [](Tensor& dx, const Tensor&) { transpose_layout(dx); };
  const auto rows = [](Tensor& dx, const Tensor&) { turn_rows(dx); };
  const auto ones = [](Tensor& dx, const Tensor& dy) {
    std::ranges::transform(dx.values(), dy.values(), dx.data(), std::divides<>());
  };
  return {
      {"sign", sign, times(-1, all)},
      {"twice", factor, times(2, all)},
      {"1.0001 times", factor, times(1.0001, all)},
      {"zeros", no_gradient, times(0, all)},
      {"one element", one_element, times(1.5, one)},
      {"no row", some_rows, times(0, [](Index row, Index) { return row == 2; })},
      {"half a column", some_columns, times(0.5, [](Index, Index column) { return column == 1; })},
      {"layout", transposed, layout},
      {"rows", rows_exchanged, rows},
      {"ones", cotangent_ignored, ones},
  };
}

const SpoilGradient unspoilt = [](Tensor&, const Tensor&) {};

// Counts checks, and reports those that failed.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  ~Tally() {
    tell_figures(
        fmt::format("gradcheck: {}: {} right gradients without an alarm, {} mistakes named", what_,
                    rights_, wrongs_));
  }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void right(const GradcheckReport& report) {
    ++rights_;
    EXPECT_TRUE(report.ok()) << report.message();
  }
  void named(const GradcheckReport& report, WrongKind kind) {
    ++wrongs_;
    ASSERT_EQ(report.findings.size(), 1U) << report.message();
    EXPECT_EQ(name_of(report.findings[0].kind), name_of(kind)) << report.message();
  }

 private:
  std::string what_;
  Index rights_ = 0;
  Index wrongs_ = 0;
};

// An alarm about a right gradient may be rare. A mistake is found or not by the kind of curve, so
// few of the seeds plant all of them.
TEST(ProveGradcheck, right_gradients_of_any_scale_pass_and_mistakes_are_named) {
  constexpr std::uint64_t seeds_with_mistakes = 100;
  Tally tally("with one scale or one for each element");
  for (const Curve& curve : curves()) {
    for (const bool own_scales : {false, true}) {
      for_each_seed(10, [&](std::uint64_t seed) {
        SCOPED_TRACE(fmt::format("{}, {}, seed {}", curve.name,
                                 own_scales ? "scales by element" : "one scale", seed));
        const ScaledCurve subject = scaled_curve(curve, own_scales, seed);
        tally.right(gradcheck(function_of(subject, unspoilt), {subject.at}, {.seed = seed}));
        for (const ScaledMutant& mutant : scaled_mutants()) {
          if (seed > seeds_with_mistakes) {
            break;
          }
          SCOPED_TRACE(mutant.name);
          tally.named(gradcheck(function_of(subject, mutant.spoil), {subject.at}, {.seed = seed}),
                      mutant.kind);
        }
      });
    }
  }
}

// Scales all inputs by one factor, if the op stays finite. Leaves out attention: its scores are
// squares of its inputs, and lose their digits for large inputs.
TEST(ProveGradcheck, ops_pass_with_inputs_of_any_scale) {
  Tally tally("ops with inputs of any scale");
  for (const OpSubject& subject : all_subjects()) {
    if (subject.name.starts_with("attention")) {
      continue;
    }
    for_each_seed(10, [&](std::uint64_t seed) {
      const double scale = ScaleDraws(seed).scale();
      SCOPED_TRACE(fmt::format("{}, inputs times {}, seed {}", subject.name, scale, seed));
      Tensors inputs = inputs_of(subject, seed);
      for (Tensor& input : inputs) {
        multiply_by(input, scale);
      }
      const GradcheckReport report = gradcheck(subject.function(seed), inputs, {.seed = seed});
      // A product of tiny numbers is invisible next to a bias.
      const bool hidden =
          std::ranges::count(report.findings, Verdict::cannot_tell, &Finding::verdict) > 0;
      if (!hidden && report.message().find("of the output is not finite") == std::string::npos) {
        tally.right(report);
      }
    });
  }
}

// y_o = s 1e-11^o Σ_i A_oi x_i / t_i: each output is hidden by the one before it.
TEST(ProveGradcheck, outputs_behind_larger_ones_are_seen) {
  Tally tally("outputs 1e-11 apart");
  const std::vector<std::pair<double, WrongKind>> mistakes{
      {-1, WrongKind::sign}, {2, WrongKind::factor}, {0, WrongKind::no_gradient}};
  for_each_seed(10, [&](std::uint64_t seed) {
    ScaleDraws draws(seed);
    Matrix map(4, std::vector<double>(5));
    Tensor at = Tensor::empty({5});
    const double s = draws.scale();
    for (std::size_t i = 0; i < 5; ++i) {
      const double t = draws.scale();
      at.data()[i] = t * draws.number();
      for (std::size_t o = 0; o < 4; ++o) {
        map[o][i] = s * std::pow(1e-11, static_cast<double>(o)) * draws.number() / t;
      }
    }
    SCOPED_TRACE(seed);
    tally.right(gradcheck(linear_map(map, map), {at}, {.seed = seed}));
    for (std::size_t o = 0; o < 4; ++o) {
      for (const auto& [factor, kind] : mistakes) {
        SCOPED_TRACE(fmt::format("output {} times {}", o, factor));
        Matrix wrong = map;
        for (double& slope : wrong[o]) {
          slope *= factor;
        }
        // Without output 0's gradient, only the share of output 1 is left.
        const bool left = o == 0 && factor == 0;
        tally.named(gradcheck(linear_map(map, wrong), {at}, {.seed = seed}),
                    left ? WrongKind::not_summed : kind);
      }
    }
  });
}

void expect_seen(Tally& tally, const ScaledCurve& subject, const SpoilGradient& spoil,
                 std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{}, seed {}", subject.curve.name, seed));
  tally.right(gradcheck(function_of(subject, unspoilt), {subject.at}, {.seed = seed}));
  tally.named(gradcheck(function_of(subject, spoil), {subject.at}, {.seed = seed}),
              WrongKind::one_element);
}

double relu(double x) { return x > 0 ? x : 0; }

// At 0 the second derivative jumps or is infinite.
TEST(ProveGradcheck, slopes_where_the_second_derivative_jumps_are_seen) {
  Tally tally("where the second derivative jumps");
  const std::vector<Curve> bent{
      {"relu^2", [](double x) { return relu(x) * relu(x); }, [](double x) { return 2 * relu(x); }},
      {"x|x|", [](double x) { return x * std::abs(x); }, [](double x) { return 2 * std::abs(x); }},
      {"relu^1.5", [](double x) { return std::pow(relu(x), 1.5); },
       [](double x) { return 1.5 * std::sqrt(relu(x)); }}};
  for (const Curve& curve : bent) {
    for_each_seed(10, [&](std::uint64_t seed) {
      ScaledCurve subject = scaled_curve(curve, false, seed);
      subject.at.data()[6] = 0;
      const double wrong = 0.01 * subject.s[0] / subject.t[0];
      expect_seen(
          tally, subject, [wrong](Tensor& dx, const Tensor&) { dx.data()[6] += wrong; }, seed);
    });
  }
}

// One input is 1e-9 ... 1e-1 times as large as the rest, on either side of a kink at 0.
TEST(ProveGradcheck, slopes_beside_a_kink_are_seen) {
  Tally tally("beside a kink");
  const std::vector<Curve> bent{
      {"relu", relu, [](double x) { return x > 0 ? 1.0 : 0.0; }},
      {"|x|", [](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : -1.0; }}};
  for (const Curve& curve : bent) {
    for_each_seed(10, [&](std::uint64_t seed) {
      ScaledCurve subject = scaled_curve(curve, false, seed);
      Scalar& x = subject.at.data()[6];
      x *= std::pow(10, -1 - 8 * ScaleDraws(seed + 1000000).uniform());
      // The slope on the other side of the kink.
      const double other = curve.slope(-x) * subject.s[0] / subject.t[0];
      const SpoilGradient spoil = [other](Tensor& dx, const Tensor& dy) {
        dx.data()[6] = other * dy.data()[6];
      };
      expect_seen(tally, subject, spoil, seed);
    });
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
