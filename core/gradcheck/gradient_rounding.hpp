// What the gradients of a run may be off by rounding alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The gradients where the last bits of inputs and cotangent are others; none where the function
// refuses those.
std::vector<Tensor> nearby_gradients(const Subject& subject, std::uint64_t seed);

// For each element of each gradient, how far it moves when the last bits of inputs and cotangent
// change, many times over: sums that cancel leave nothing but that. It follows the scale of
// whatever is summed, which the sum does not show. Found when it is first asked for.
class GradientRounding {
 public:
  // Both must outlive it.
  GradientRounding(const Subject& subject, const Run& run) : subject_(subject), run_(run) {}

  const Tensor& of(std::size_t input) const;

  // The first element in which two tensors differ by more than that, or -1: gradients of one input,
  // or sums of those of several.
  Index first_difference(const Tensor& a, const Tensor& b,
                         std::initializer_list<std::size_t> inputs) const;

 private:
  void find() const;

  const Subject& subject_;
  const Run& run_;
  mutable std::vector<Tensor> rounding_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
