#include "core/gradcheck/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/errors.hpp"
#include "core/finite.hpp"
#include "core/gradcheck/comparison.hpp"
#include "core/gradcheck/grid.hpp"
#include "core/gradcheck/parameter_slopes.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// A random direction of length 1.
Tensor unit_direction(const Shape& shape, std::uint64_t seed) {
  Tensor direction = uneven(shape, seed);
  double squares = 0;
  for (const Scalar x : direction.values()) {
    squares += x * x;
  }
  for (Scalar& x : direction.values()) {
    x /= std::sqrt(squares);
  }
  return direction;
}

double norm(const Tensor& tensor) {
  double squares = 0;
  for (const Scalar x : tensor.values()) {
    squares += x * x;
  }
  return std::sqrt(squares);
}

double product(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) {
    sum += a.data()[i] * b.data()[i];
  }
  return sum;
}

// A part of one gradient: a parameter that shares its block with others lies inside it.
Tensor gradient_of(const ParameterStore& store, const ParameterGradients& gradients,
                   const NamedParameter& parameter) {
  if (!gradients.written(parameter.block)) {
    return Tensor::zeros(parameter.shape);
  }
  const Scalar* begin =
      gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block);
  return Tensor::of(parameter.shape,
                    std::span(begin, static_cast<std::size_t>(parameter.shape.size())));
}

// The gradient beside the loss, along one direction in one parameter.
struct DirectionCheck {
  double along;  // the gradient's slope
  Slope slope;   // the loss'
  double size;   // of such slopes

  double error() const { return std::abs(along - slope.value) / size; }
  bool doubtful() const { return slope.kink || std::abs(along - slope.value) <= 10 * slope.error; }
};

// How large the slope along a unit direction is where the gradient is spread evenly, but no less
// than what rounding alone makes of a difference, in units of the tolerance.
double size_of(const DirectionCheck& check, const Tensor& gradient, double tolerance) {
  const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
  return std::max({std::abs(check.along), std::abs(check.slope.value), typical,
                   4 * check.slope.error / tolerance});
}

class ModelCheck {
 public:
  ModelCheck(ParameterStore& store, const LossAndGradients& loss,
             const ModelGradcheckOptions& options)
      : store_(store), options_(options), loss_(loss), gradients_(store) {}

  ModelGradcheckReport run();

 private:
  std::vector<Finding> check_repetition();
  ParameterCheck check(const NamedParameter& parameter, std::uint64_t number);
  DirectionCheck check_direction(const NamedParameter& parameter, const Tensor& gradient,
                                 std::uint64_t seed) const;
  DirectionCheck settled_direction(const NamedParameter& parameter, const Tensor& gradient,
                                   std::uint64_t number) const;
  Finding explain(const NamedParameter& parameter, const Tensor& gradient,
                  const DirectionCheck& direction) const;

  ParameterStore& store_;
  const ModelGradcheckOptions& options_;
  const LossAndGradients& loss_;
  ParameterGradients gradients_;
  double centre_ = 0;
};

ModelGradcheckReport ModelCheck::run() {
  ModelGradcheckReport report;
  report.findings = check_repetition();
  if (!report.findings.empty()) {
    return report;
  }
  std::vector<const NamedParameter*> wanted;
  for (const NamedParameter& parameter : store_.parameters()) {
    if (!options_.wanted || options_.wanted(parameter.name)) {
      wanted.push_back(&parameter);
    }
  }
  for (const NamedParameter* parameter : wanted) {
    if (options_.progress) {
      options_.progress(static_cast<Index>(report.parameters.size()),
                        static_cast<Index>(wanted.size()));
    }
    report.parameters.push_back(check(*parameter, report.parameters.size()));
  }
  return report;
}

// The loss and the gradients come back to the bit, and are finite.
std::vector<Finding> ModelCheck::check_repetition() {
  const auto whole = [](Verdict verdict, const char* hint) {
    return std::vector<Finding>{{.verdict = verdict, .subject = "the loss", .hint = hint}};
  };
  centre_ = loss_(&gradients_);
  if (!std::isfinite(centre_)) {
    return whole(Verdict::not_finite, "nothing can be compared with it");
  }
  ParameterGradients second(store_);
  if (loss_(&second) != centre_ || loss_(nullptr) != centre_) {
    return whole(
        Verdict::nondeterministic,
        "it has other bits when it is computed again: random draws that are not addressed, "
        "or a state of the model's own?");
  }
  for (const NamedParameter& parameter : store_.parameters()) {
    if (!same_bits(gradient_of(store_, gradients_, parameter),
                   gradient_of(store_, second, parameter))) {
      std::vector<Finding> found =
          whole(Verdict::nondeterministic, "its gradient has other bits when it is computed again");
      found.front().subject = parameter.name;
      return found;
    }
  }
  return {};
}

ParameterCheck ModelCheck::check(const NamedParameter& parameter, std::uint64_t number) {
  ParameterCheck result{.name = parameter.name, .shape = parameter.shape, .finding = {}};
  result.finding.subject = parameter.name;
  const Tensor gradient = gradient_of(store_, gradients_, parameter);
  if (const Index bad = first_not_finite(gradient); bad >= 0) {
    result.finding.verdict = Verdict::not_finite;
    result.finding.element = element_name(bad, parameter.shape);
    result.error = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const DirectionCheck direction = settled_direction(parameter, gradient, number);
  result.error = direction.error();
  if (!gradients_.written(parameter.block) && result.error <= options_.tolerance) {
    result.finding.verdict = Verdict::unused_input;
    result.finding.hint =
        "the loss does not change with it and no gradient arrives: a parameter that no layer uses";
  } else if (!(result.error <= options_.tolerance)) {
    result.finding = explain(parameter, gradient, direction);
  }
  return result;
}

DirectionCheck ModelCheck::check_direction(const NamedParameter& parameter, const Tensor& gradient,
                                           std::uint64_t seed) const {
  ParameterSlopes slopes(store_, loss_, centre_);
  const Tensor direction = unit_direction(parameter.shape, seed);
  DirectionCheck check{.along = product(gradient, direction),
                       .slope = slopes.quick(parameter, direction),
                       .size = 0};
  check.size = size_of(check, gradient, options_.tolerance);
  if (check.error() > options_.tolerance) {  // a kink between the two, or a curve too sharp?
    check.slope = slopes.along(parameter, direction, 0.1 * options_.tolerance * check.size);
    check.size = std::max(check.size, std::abs(check.slope.value));
  }
  return check;
}

// Directions until one tells: of the kinks of a model, one or the other is always so near that
// differences along some direction cannot avoid it.
DirectionCheck ModelCheck::settled_direction(const NamedParameter& parameter,
                                             const Tensor& gradient, std::uint64_t number) const {
  constexpr std::uint64_t most = 8;
  DirectionCheck check{};
  for (std::uint64_t i = 0; i < most; ++i) {
    check = check_direction(parameter, gradient, options_.seed + number + 10000 * i);
    if (check.error() <= options_.tolerance || !check.doubtful()) {
      break;
    }
  }
  return check;
}

Finding ModelCheck::explain(const NamedParameter& parameter, const Tensor& gradient,
                            const DirectionCheck& direction) const {
  Finding finding{.verdict = Verdict::wrong, .subject = parameter.name};
  finding.compared = true;
  finding.analytic = direction.along;
  finding.numeric = direction.slope.value;
  finding.numeric_error = direction.slope.error;
  if (direction.doubtful()) {
    finding.verdict = direction.slope.kink ? Verdict::kink_nearby : Verdict::too_little_precision;
    finding.extent = "the numbers are slopes along a random direction";
    finding.hint = "another seed, or another batch, may settle it";
    return finding;
  }
  ParameterSlopes slopes(store_, loss_, centre_);
  const Grid grid(parameter.shape, options_.elements);
  Comparison c = grid.comparison();
  const double enough = 0.1 * options_.tolerance * direction.size;
  Index worst = -1;
  for (Index i = 0; i < c.size(); ++i) {
    const Index element = grid.element(i);
    const Slope at = slopes.element(parameter, element, enough);
    const double analytic = gradient.data()[element];
    const double distance = std::abs(analytic - at.value);
    const bool differs = !at.kink && distance > 10 * at.error + options_.tolerance * direction.size;
    c.analytic.push_back(analytic);
    c.numeric.push_back(at);
    c.differs.push_back(differs);
    if (differs && (worst < 0 || distance > std::abs(c.a(worst) - c.n(worst)))) {
      worst = i;
    }
  }
  if (worst < 0) {
    finding.extent = fmt::format(
        "the numbers are slopes along a random direction; each of the {} "
        "elements looked at is right by itself",
        c.size());
    return finding;
  }
  const WrongGradient kind = gradients_.written(parameter.block)
                                 ? kind_of(c, {}, {})
                                 : WrongGradient{WrongKind::no_gradient,
                                                 "no gradient arrives, and the loss depends on it"};
  finding.kind = kind.kind;
  finding.hint = kind.hint;
  finding.element = element_name(grid.element(worst), parameter.shape);
  finding.analytic = c.a(worst);
  finding.numeric = c.n(worst);
  finding.numeric_error = c.numeric[static_cast<std::size_t>(worst)].error;
  finding.extent = fmt::format("{} of {} elements looked at differ",
                               std::ranges::count(c.differs, true), c.size());
  return finding;
}

// Where many parameters are not right: how many, and where to look.
std::string summary(const std::vector<ParameterCheck>& parameters) {
  constexpr Index few = 3;
  const auto count = [&parameters](const auto& condition) {
    return std::ranges::count_if(parameters, condition, &ParameterCheck::finding);
  };
  const auto found = count([](const Finding& f) { return f.verdict != Verdict::correct; });
  if (found <= few) {
    return "";
  }
  const auto without = count([](const Finding& f) {
    return f.kind == WrongKind::no_gradient || f.verdict == Verdict::unused_input;
  });
  const bool nearly_all = 10 * (found - without) >= 9 * std::ssize(parameters);
  return fmt::format("{} of {} parameters are not right{}\n  hint: {}\n", found, parameters.size(),
                     without > 0 ? fmt::format("; no gradient arrives at {} of them", without) : "",
                     nearly_all
                         ? "a part of the batch left out of the sum or counted twice, or the "
                           "loss itself?"
                         : "a mistake reaches all parameters that come before it: look "
                           "where no gradient arrives, and after the last of the others");
}

}  // namespace

bool ModelGradcheckReport::ok() const {
  return findings.empty() && std::ranges::all_of(parameters, [](const ParameterCheck& parameter) {
           return parameter.finding.verdict == Verdict::correct;
         });
}

std::string ModelGradcheckReport::message() const {
  GradcheckReport all{.findings = findings};
  for (const ParameterCheck& parameter : parameters) {
    if (parameter.finding.verdict != Verdict::correct) {
      all.findings.push_back(parameter.finding);
    }
  }
  return summary(parameters) + all.message();
}

ModelGradcheckReport gradcheck_model(ParameterStore& store, const LossAndGradients& loss,
                                     const ModelGradcheckOptions& options) {
  return ModelCheck(store, loss, options).run();
}

ModelGradcheckReport gradcheck_model(ParameterStore& store, const ModelLoss& loss,
                                     const ModelGradcheckOptions& options) {
  ParameterGradients unused(store);
  const LossAndGradients on_one_tape = [&](ParameterGradients* gradients) {
    Tape tape(gradients != nullptr);
    const Var value = loss(tape, gradients != nullptr ? *gradients : unused);
    if (value.shape().size() != 1) {
      throw ShapeError(fmt::format("gradcheck_model: the loss has shape {}; it must be one number",
                                   value.shape().to_string()));
    }
    tape.backward(value);
    return static_cast<double>(value.value().data()[0]);
  };
  return gradcheck_model(store, on_one_tape, options);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
