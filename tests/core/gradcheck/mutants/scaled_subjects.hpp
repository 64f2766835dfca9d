// Functions whose inputs and outputs have scales from 1e-30 to 1e30, and their gradients.
#pragma once

#include "core/random/draws.hpp"
#include "core/tape/tape.hpp"
#include "tests/core/gradcheck/mutants/elementwise.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Curve {
  std::string name;
  Function value;
  Function slope;
};

// In 0.5 ... 1.5 and -1.5 ... -0.5 all curves are finite, with slopes away from zero.
inline std::vector<Curve> curves() {
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

// y_i = s_i f(x_i / t_i); the backward pass multiplies by `slopes`, which may be spoiled.
struct ScaledCurve {
  Curve curve;
  Shape shape;
  std::vector<double> s;
  std::vector<double> t;
  Tensor at;

  std::vector<double> slopes() const {
    std::vector<double> result;
    for (std::size_t i = 0; i < s.size(); ++i) {
      result.push_back(s[i] / t[i] * curve.slope(at.data()[i] / t[i]));
    }
    return result;
  }
};

// All elements share one scale, or each has its own.
inline ScaledCurve scaled_curve(const Curve& curve, bool own_scales, std::uint64_t seed) {
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

inline GradcheckFunction function_of(const ScaledCurve& subject, const SpoilGradient& spoil) {
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
