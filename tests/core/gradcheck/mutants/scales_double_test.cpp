// gradcheck at scales of 1e-30 to 1e30: correct gradients pass, and mistakes are found and named as
// they are near 1.
#include "tests/core/gradcheck/mutants/scaled_mutants.hpp"
#include "tests/core/gradcheck/mutants/scaled_subjects.hpp"
#include "tests/core/gradcheck/mutants/seeds.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Index seeds() { return proof_cases(10, static_cast<Index>(seeds_without_alarm)); }

const SpoilGradient nothing = [](Tensor&, const Tensor&) {};

// Counts checks, and reports those that failed.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  ~Tally() { tell_figures(fmt::format("gradcheck: {}: {}", what_, count_)); }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void right(const GradcheckReport& report, const std::string& where) {
    ++count_;
    EXPECT_TRUE(report.ok()) << where << "\n" << report.message();
  }
  void named(const GradcheckReport& report, WrongKind kind, const std::string& where) {
    ++count_;
    ASSERT_EQ(report.findings.size(), 1U) << where << "\n" << report.message();
    EXPECT_EQ(name_of(report.findings[0].kind), name_of(kind)) << where << "\n" << report.message();
  }

 private:
  std::string what_;
  Index count_ = 0;
};

std::string place(const std::string& name, bool own_scales, Index seed) {
  return fmt::format("{}, {}, seed {}", name, own_scales ? "scales by element" : "one scale", seed);
}

TEST(ProveGradcheck, right_gradients_of_any_scale_pass) {
  Tally tally("right gradients without an alarm, with one scale or one for each element");
  for (const Curve& curve : curves()) {
    for (const bool own_scales : {false, true}) {
      for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
        const auto draw = static_cast<std::uint64_t>(seed);
        const ScaledCurve subject = scaled_curve(curve, own_scales, draw);
        tally.right(gradcheck(function_of(subject, nothing), {subject.at}, {.seed = draw}),
                    place(curve.name, own_scales, seed));
      }
    }
  }
}

// Scales all inputs by one factor, if the op stays finite. Leaves out attention: its scores are
// squares of its inputs, and lose their digits for large inputs.
TEST(ProveGradcheck, ops_pass_with_inputs_of_any_scale) {
  Tally tally("ops that are right without an alarm, with inputs of any scale");
  for (const OpSubject& subject : all_subjects()) {
    if (subject.name.starts_with("attention")) {
      continue;
    }
    for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
      const auto draw = static_cast<std::uint64_t>(seed);
      const double scale = ScaleDraws(draw).scale();
      std::vector<Tensor> inputs = inputs_of(subject, draw);
      for (Tensor& input : inputs) {
        std::ranges::for_each(input.values(), [scale](Scalar& x) { x *= scale; });
      }
      const GradcheckReport report = gradcheck(subject.function(draw), inputs, {.seed = draw});
      // A product of tiny numbers is invisible next to a bias.
      const bool hidden = std::ranges::any_of(report.findings, [](const Finding& finding) {
        return finding.verdict == Verdict::cannot_tell;
      });
      if (!hidden && report.message().find("of the output is not finite") == std::string::npos) {
        tally.right(report, fmt::format("{}, inputs times {}, seed {}", subject.name, scale, seed));
      }
    }
  }
}

TEST(ProveGradcheck, mistakes_of_any_scale_are_named) {
  Tally tally("mistakes found and named, with one scale or one for each element");
  for (const Curve& curve : curves()) {
    for (const bool own_scales : {false, true}) {
      for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
        const auto draw = static_cast<std::uint64_t>(seed);
        const ScaledCurve subject = scaled_curve(curve, own_scales, draw);
        for (const ScaledMutant& mutant : scaled_mutants()) {
          tally.named(gradcheck(function_of(subject, mutant.spoil), {subject.at}, {.seed = draw}),
                      mutant.kind, place(curve.name + ", " + mutant.name, own_scales, seed));
        }
      }
    }
  }
}

// y_o = s 1e-11^o Σ_i A_oi x_i / t_i: each output is hidden by the one before it.
struct HiddenMap {
  Matrix map;
  Tensor at;
};

HiddenMap hidden_map(std::uint64_t seed) {
  ScaleDraws draws(seed);
  HiddenMap result{.map = Matrix(4, std::vector<double>(5)), .at = Tensor::empty({5})};
  const double s = draws.scale();
  for (std::size_t i = 0; i < 5; ++i) {
    const double t = draws.scale();
    result.at.data()[i] = t * draws.number();
    for (std::size_t o = 0; o < 4; ++o) {
      result.map[o][i] = s * std::pow(1e-11, static_cast<double>(o)) * draws.number() / t;
    }
  }
  return result;
}

TEST(ProveGradcheck, outputs_behind_larger_ones_are_seen) {
  Tally rights("right gradients without an alarm, with outputs 1e-11 apart");
  Tally wrongs("mistakes found and named, with outputs 1e-11 apart");
  const std::vector<std::pair<double, WrongKind>> mistakes{
      {-1, WrongKind::sign}, {2, WrongKind::factor}, {0, WrongKind::no_gradient}};
  for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
    const auto draw = static_cast<std::uint64_t>(seed);
    const HiddenMap subject = hidden_map(draw);
    rights.right(gradcheck(linear_map(subject.map, subject.map), {subject.at}, {.seed = draw}),
                 fmt::format("seed {}", seed));
    for (std::size_t o = 0; o < 4; ++o) {
      for (const auto& [factor, kind] : mistakes) {
        Matrix wrong = subject.map;
        for (double& slope : wrong[o]) {
          slope *= factor;
        }
        // Without output 0's gradient, only the share of output 1 is left.
        const bool left = o == 0 && factor == 0;
        wrongs.named(gradcheck(linear_map(subject.map, wrong), {subject.at}, {.seed = draw}),
                     left ? WrongKind::not_summed : kind,
                     fmt::format("output {} times {}, seed {}", o, factor, seed));
      }
    }
  }
}

double relu(double x) { return x > 0 ? x : 0; }

// At 0 the second derivative jumps or is infinite.
TEST(ProveGradcheck, slopes_where_the_second_derivative_jumps_are_seen) {
  Tally rights("right gradients without an alarm, where the second derivative jumps");
  Tally wrongs("mistakes found and named, where the second derivative jumps");
  const std::vector<Curve> bent{
      {"relu^2", [](double x) { return relu(x) * relu(x); }, [](double x) { return 2 * relu(x); }},
      {"x|x|", [](double x) { return x * std::abs(x); }, [](double x) { return 2 * std::abs(x); }},
      {"relu^1.5", [](double x) { return std::pow(relu(x), 1.5); },
       [](double x) { return 1.5 * std::sqrt(relu(x)); }}};
  for (const Curve& curve : bent) {
    for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
      const auto draw = static_cast<std::uint64_t>(seed);
      ScaledCurve subject = scaled_curve(curve, false, draw);
      subject.at.data()[6] = 0;
      const std::string where = fmt::format("{}, seed {}", curve.name, seed);
      rights.right(gradcheck(function_of(subject, nothing), {subject.at}, {.seed = draw}), where);
      const double wrong = 0.01 * subject.s[0] / subject.t[0];
      const SpoilGradient spoil = [wrong](Tensor& dx, const Tensor&) { dx.data()[6] += wrong; };
      wrongs.named(gradcheck(function_of(subject, spoil), {subject.at}, {.seed = draw}),
                   WrongKind::one_element, where);
    }
  }
}

// One input is 1e-9 ... 1e-1 times as large as the rest, on either side of a kink at 0.
TEST(ProveGradcheck, slopes_beside_a_kink_are_seen) {
  Tally rights("right gradients without an alarm, beside a kink");
  Tally wrongs("mistakes found and named, beside a kink");
  const std::vector<Curve> bent{
      {"relu", relu, [](double x) { return x > 0 ? 1.0 : 0.0; }},
      {"|x|", [](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : -1.0; }}};
  for (const Curve& curve : bent) {
    for (Index seed = 1; seed <= seeds() && !HasFailure(); ++seed) {
      const auto draw = static_cast<std::uint64_t>(seed);
      ScaledCurve subject = scaled_curve(curve, false, draw);
      ScaleDraws draws(draw + 1000000);
      subject.at.data()[6] *= std::pow(10, -1 - 8 * draws.uniform());
      const std::string where = fmt::format("{}, seed {}", curve.name, seed);
      rights.right(gradcheck(function_of(subject, nothing), {subject.at}, {.seed = draw}), where);
      // The slope on the other side of the kink.
      const double other = curve.slope(-subject.at.data()[6]) * subject.s[0] / subject.t[0];
      const SpoilGradient spoil = [other](Tensor& dx, const Tensor& dy) {
        dx.data()[6] = other * dy.data()[6];
      };
      wrongs.named(gradcheck(function_of(subject, spoil), {subject.at}, {.seed = draw}),
                   WrongKind::one_element, where);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
