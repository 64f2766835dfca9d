// A run to check, with an estimate how far rounding alone may move its gradients; and integrals of
// a gradient along a path, to compare with the change of the function.
#pragma once

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Whether the gradient of an element, integrated along a path that begins at the element, equals
// the change of L. One of several lengths suffices; all are long enough to show more than rounding.
// Outputs that remain when larger numbers cancel, such as 1 + tanh x at x = -18, look like stairs
// over short steps, so short differences say nothing about their slope.
bool gradient_adds_up(const Subject& subject, std::size_t input, Index element);

// How far the slope of L along a direction moves from `along`, the gradient's slope, when the last
// bits of inputs and cotangent change. A sum that cancels, such as a sum over attention weights of
// similar keys, may be only rounding.
double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along);

class CheckedRun {
 public:
  // `checked` must outlive it.
  CheckedRun(const Subject& checked, Run recorded) : subject(checked), run(std::move(recorded)) {}

  const Subject& subject;
  const Run run;

  // The slope for this element if all outputs changed by their own size while the element changes
  // by its own. Much smaller slopes may be what cancellation leaves.
  double size_of_all(std::size_t input, Index element) const;

  // How far rounding of the outputs may move the gradient of an element. Terms that cancel exactly
  // in one run may leave this much in another run.
  double output_rounding(std::size_t input, Index element) const;

  // For each element of a gradient, the spread of the gradients in many trials that change the last
  // bits of inputs and cotangent. A sum whose terms cancel may be only rounding; its size depends
  // on the terms, which the sum does not show. The gradient itself counts only if it is near the
  // trials. A gradient that is wrong at exactly these inputs, as by a shortcut for x = 1, is far
  // from the trials, which agree with each other. Computed on first use.
  const Tensor& rounding(std::size_t input) const;

  // The first element in which two tensors differ by more than rounding, or -1. The tensors are
  // gradients of one input, or sums of gradients of several inputs.
  Index first_difference(const Tensor& a, const Tensor& b,
                         std::initializer_list<std::size_t> inputs) const;

 private:
  mutable std::vector<Tensor> rounding_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
