#include "core/gradcheck/hidden_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void HiddenOutputs::look_at(std::size_t input, Index element, const Column& column) {
  constexpr double far_below = 1e-3;
  double largest = 0;
  for (std::size_t o = 0; o < column.value.size(); ++o) {
    largest = std::max(largest, std::abs(column.value[o] * subject_.cotangent.data()[o]));
  }
  for (std::size_t o = 0; o < column.value.size(); ++o) {
    const double weight = subject_.cotangent.data()[o];
    const double slope = weight * column.value[o];
    const double error = std::abs(weight) * column.error[o];
    if (std::abs(slope) < far_below * largest && std::abs(slope) > doubt_share * error) {
      small_.push_back({.output = static_cast<Index>(o),
                        .input = input,
                        .element = element,
                        .slope = slope,
                        .error = error});
    }
  }
}

std::vector<Index> HiddenOutputs::suspects() const {
  std::map<Index, std::vector<Small>> by_output;
  for (const Small& small : small_) {
    by_output[small.output].push_back(small);
  }
  // The tolerance of a second check; this first one has fewer steps.
  const double relative =
      doubt_share * std::max(remainder_tolerance, subject_.options.relative_tolerance);
  const Tolerance tolerance = tolerance_of(subject_.options);
  std::vector<Index> result;
  for (const auto& [output, slopes] : by_output) {
    const Subject alone = with_output_alone(subject_, output);
    const std::vector<Tensor> gradients = run(alone).gradients;
    const auto wrong = [&](const Small& small) {
      const double gradient = gradients[small.input].data()[small.element];
      const double allowed = doubt_share * small.error +
                             relative * std::max(std::abs(gradient), std::abs(small.slope));
      return !(std::abs(gradient - small.slope) <= allowed) &&
             !tolerance.agrees(gradient,
                               Differences(alone).element(small.input, small.element, gradient));
    };
    if (std::ranges::any_of(slopes, wrong)) {
      result.push_back(output);
    }
  }
  return result;
}

Subject with_output_alone(const Subject& subject, Index output) {
  Subject result = subject;
  result.cotangent = Tensor::zeros(subject.cotangent.shape());
  result.cotangent.data()[output] = subject.cotangent.data()[output];
  result.probe += fmt::format(
      "{}with the gradient of the output's {} alone, which larger ones hide",
      subject.probe.empty() ? "" : ", ", element_name(output, subject.cotangent.shape()));
  return result;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
