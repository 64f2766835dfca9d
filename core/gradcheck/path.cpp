#include "core/gradcheck/path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr double off_by = 1e-5;  // relative to the gradients along the path

// The scale of an element's steps: its own size if that is far below 1 and the other elements;
// otherwise the usual one.
double scale_of(const Tensor& input, Index element) {
  constexpr double far_below = 1e-3;
  const double own = std::abs(input.data()[element]);
  const double usual = std::max<double>(own, std::min<Scalar>(1, magnitude(input)));
  return own > 0 && own < far_below * usual ? own : usual;
}

class Path {
 public:
  Path(const Subject& subject, std::size_t input, Index element)
      : subject_(subject), input_(input), element_(element), centre_(at(0).output) {}

  bool adds_up(double length) const;

 private:
  Run at(double distance) const;
  double change(const Tensor& output) const;

  const Subject& subject_;
  std::size_t input_;
  Index element_;
  Tensor centre_;
};

Run Path::at(double distance) const {
  std::vector<Tensor> inputs = copies(subject_.inputs);
  inputs[input_].data()[element_] += distance;
  return run({.function = subject_.function,
              .inputs = inputs,
              .options = subject_.options,
              .cotangent = subject_.cotangent,
              .op = subject_.op,
              .probe = subject_.probe});
}

double Path::change(const Tensor& output) const {
  double sum = 0;
  for (Index o = 0; o < output.size(); ++o) {
    sum += subject_.cotangent.data()[o] * (output.data()[o] - centre_.data()[o]);
  }
  return sum;
}

// By Gauss's rule with three points in each of sixteen parts.
bool Path::adds_up(double length) const {
  constexpr int parts = 16;
  const std::array<double, 3> places{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
  const std::array<double, 3> weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double part = length / parts;
  double sum = 0;
  double size = 0;
  for (int i = 0; i < parts; ++i) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Run there = at((i + places[k]) * part);
      const double term = weights[k] * part * there.gradients[input_].data()[element_];
      sum += term;
      size += std::abs(term);
    }
  }
  return std::abs(sum - change(at(length).output)) <= off_by * size;
}

}  // namespace

bool gradient_adds_up(const Subject& subject, std::size_t input, Index element) {
  const double scale = scale_of(subject.inputs[input], element);
  try {
    const Path path(subject, input, element);
    for (const double share : {1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0, 4.0}) {
      if (path.adds_up(share * scale) || path.adds_up(-share * scale)) {
        return true;
      }
    }
  } catch (const std::exception&) {
    return false;  // the path reaches a point where the function is not defined
  }
  return false;
}

double size_of_all(const Subject& subject, const Tensor& output, std::size_t input, Index element) {
  double sum = 0;
  for (const Scalar y : output.values()) {
    sum += std::abs(y);
  }
  // The largest cotangent, since that of some outputs may be 0.
  return sum * magnitude(subject.cotangent) / scale_of(subject.inputs[input], element);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
