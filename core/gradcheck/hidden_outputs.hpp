// Outputs whose slopes hide behind larger ones: in a sum over all outputs, what is wrong with a
// slope of 1e-9 beside one of 1 is lost.
#pragma once

#include <vector>

#include "core/gradcheck/differences.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class HiddenOutputs {
 public:
  explicit HiddenOutputs(const Subject& subject) : subject_(subject) {}

  // Keeps what an element does to the outputs where some of its slopes are far below the largest.
  void look_at(std::size_t input, Index element, const Column& column);

  // The outputs among these whose own gradients seem wrong, from one backward pass each.
  std::vector<Index> suspects() const;

 private:
  struct Small {
    Index output;
    std::size_t input;
    Index element;
    double slope;  // of L, by this output alone
    double error;
  };

  const Subject& subject_;
  std::vector<Small> small_{};
};

// The subject with the cotangent of one output alone.
Subject with_output_alone(const Subject& subject, Index output);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
