// Outputs whose slopes are hidden by larger ones: in a sum over all outputs, an error in a slope of
// 1e-9 is lost beside a slope of 1.
#pragma once

#include <vector>

#include "core/gradcheck/differences.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class HiddenOutputs {
 public:
  explicit HiddenOutputs(const Subject& subject) : subject_(subject) {}

  // Records the outputs whose slopes with respect to this element are far below the largest one.
  void look_at(std::size_t input, Index element, const Column& column);

  // The recorded outputs whose own gradients seem wrong, also by differences of that output alone.
  // Takes one backward pass per output.
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
