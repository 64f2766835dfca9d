#include "core/gradcheck/derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// dL/dx from differences: with one step, with two, and with their error of second order removed.
struct Slope {
  double narrow;
  double wide;
  double value() const { return (4 * narrow - wide) / 3; }  // Richardson (1911)
};

class Differences {
 public:
  explicit Differences(const Subject& subject) : subject_(subject), at_(copies(subject.inputs)) {}

  Slope slope(std::size_t input, Index element) {
    Scalar& x = at_[input].data()[element];
    const double step = subject_.options.step * std::max(1.0, std::abs(static_cast<double>(x)));
    return {.narrow = central(x, step), .wide = central(x, 2 * step)};
  }

 private:
  // Σ cotangent ∘ (f(x + step) - f(x - step)), over the distance that rounding left of two steps.
  // Differences come before the sum: outputs that do not see x add no rounding error.
  double central(Scalar& x, double step) {
    const Scalar centre = x;
    const auto above = static_cast<Scalar>(centre + step);
    const auto below = static_cast<Scalar>(centre - step);
    x = above;
    const Tensor up = subject_.value(at_).copy();  // copies: a value may be a view of an input
    x = below;
    const Tensor down = subject_.value(at_).copy();
    x = centre;
    double sum = 0;
    for (Index i = 0; i < up.size(); ++i) {
      sum += static_cast<double>(subject_.cotangent.data()[i]) *
             (static_cast<double>(up.data()[i]) - static_cast<double>(down.data()[i]));
    }
    return sum / (static_cast<double>(above) - static_cast<double>(below));
  }

  const Subject& subject_;
  std::vector<Tensor> at_;
};

// The element of one input whose gradient is worst, in multiples of what is tolerated.
struct Worst {
  double excess = 0;
  Index element = -1;
  double analytic = 0;
  Slope slope{};
  Index wrong = 0;  // elements beyond tolerance

  void meet(Index i, double gradient, const Slope& differences, const GradcheckOptions& options) {
    const double numeric = differences.value();
    const double error = std::abs(gradient - numeric);
    const double tolerated =
        options.absolute_tolerance +
        options.relative_tolerance * std::max(std::abs(gradient), std::abs(numeric));
    if (error <= tolerated) {
      return;
    }
    ++wrong;  // NaN comes here too, and stays
    if (element < 0 || error / tolerated > excess || std::isnan(error)) {
      *this = {error / tolerated, i, gradient, differences, wrong};
    }
  }
};

std::string describe(std::size_t input, const Shape& shape, const Worst& worst,
                     const GradcheckOptions& options) {
  const double numeric = worst.slope.value();
  std::string text = fmt::format(
      "dL/d {}: backward gives {:.10g}, differences {:.10g} (ratio {:.6g}); {} of {} elements of "
      "this input are wrong",
      name_of(input, worst.element, shape), worst.analytic, numeric, worst.analytic / numeric,
      worst.wrong, shape.size());
  const double doubt = std::abs(worst.slope.narrow - worst.slope.wide);
  if (doubt > 1e-3 * std::max(std::abs(numeric), options.absolute_tolerance)) {
    text += fmt::format(
        "; the differences are not to be trusted: {:.10g} with step {:g} and {:.10g} with twice "
        "that, as near a kink or with fresh random numbers",
        worst.slope.narrow, options.step, worst.slope.wide);
  }
  return text;
}

}  // namespace

std::string check_derivatives(const Subject& subject, const Run& run) {
  Differences differences(subject);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = run.gradients[k];
    Worst worst;
    for (Index i = 0; i < gradient.size(); ++i) {
      worst.meet(i, static_cast<double>(gradient.data()[i]), differences.slope(k, i),
                 subject.options);
    }
    if (worst.wrong > 0) {
      return describe(k, gradient.shape(), worst, subject.options);
    }
  }
  return {};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
