// Compares a gradient with finite differences, element by element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/differences.hpp"
#include "core/gradcheck/gradient_rounding.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Outputs whose slopes are hidden by larger ones: in a sum over all outputs, an error in a slope of
// 1e-9 is lost beside a slope of 1.
class HiddenOutputs {
 public:
  explicit HiddenOutputs(const Subject& subject) : subject_(subject) {}

  // Records the outputs whose slopes with respect to this element are far below the largest one.
  void look_at(std::size_t input, Index element, const Column& column);

  // The recorded outputs whose own gradients seem wrong. Takes one backward pass per output.
  std::vector<Index> suspects() const;

 private:
  struct Small {
    Index output;
    std::size_t input;
    Index element;
    double slope;  // of L, through this output alone
    double error;
  };

  const Subject& subject_;
  std::vector<Small> small_{};
};

// The subject with a cotangent that is 0 except for one output.
Subject with_output_alone(const Subject& subject, Index output);

// `hidden` records each element.
Comparison compare(const Subject& subject, Differences& differences, std::size_t input,
                   const Run& run, const GradientRounding& rounding, HiddenOutputs& hidden);

// The differing element that is furthest off, in multiples of its tolerance. An element that is not
// finite comes first. -1: none differs.
Index worst_of(const Comparison& comparison, const GradcheckOptions& options);

// The same among elements that are wrong for sure: a kink at another element does not excuse them.
Index worst_sure(const Comparison& comparison, const GradcheckOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
