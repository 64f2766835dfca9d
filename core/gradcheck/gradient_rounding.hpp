// Estimates how far the gradients of a run may be off by rounding alone, and integrates a gradient
// along a path, to compare it with the change of the function.
#pragma once

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Whether the gradient of an element, integrated along a path, equals the change of L. The path
// begins at the element. One of several lengths suffices, all long enough to show more than
// rounding: outputs that remain when larger numbers cancel, such as 1 + tanh x at x = -18, look
// like stairs over short steps, and differences say nothing about their slope.
bool gradient_adds_up(const Subject& subject, std::size_t input, Index element);

// The slope in this element if all outputs changed by their own size while the element changes by
// its own. Slopes that are small beside this one may be what remains after cancellation.
double size_of_all(const Subject& subject, const Tensor& output, std::size_t input, Index element);

// How far the slope of L along a direction, by the gradient `along`, moves when the last bits of
// inputs and cotangent change. The remainder of sums that cancel, such as those over attention
// weights of similar keys, may be nothing but rounding.
double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along);

// How far rounding of outputs of this size may move the gradient of an element: terms that cancel
// exactly in one run may leave this much in another.
double output_rounding(const Subject& subject, const Tensor& output, std::size_t input,
                       Index element);

// For each element of each gradient, how far apart the gradients of many trials lie in which the
// last bits of inputs and cotangent change. A sum whose terms cancel may be nothing but rounding.
// How large that rounding is depends on the terms, which the sum does not show. The gradient itself
// counts only if it is near them: if it is wrong at exactly these inputs, as by a shortcut for
// x = 1, it is far from all of them, and they agree with each other. Computed on first use.
class GradientRounding {
 public:
  // Both must outlive it.
  GradientRounding(const Subject& subject, const Run& run) : subject_(subject), run_(run) {}

  const Tensor& of(std::size_t input) const;

  // The first element in which two tensors differ by more than rounding, or -1. The tensors are
  // gradients of one input, or sums of the gradients of several.
  Index first_difference(const Tensor& a, const Tensor& b,
                         std::initializer_list<std::size_t> inputs) const;

 private:
  void find() const;

  const Subject& subject_;
  const Run& run_;
  mutable std::vector<Tensor> rounding_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
