// Mutations that only inputs other than the given ones show: one row, very large or small numbers.
#pragma once

#include "tests/core/gradcheck/mutants/mutation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using ChangeInputs = std::function<void(Tensors&)>;

// Cuts each input with as many rows as the first input to its first row.
inline void cut_to_one_row(Tensors& inputs) {
  const Shape first = inputs[0].shape();
  for (Tensor& input : inputs) {
    if (first.rank() == 2 && input.shape().rank() == 2 && input.dim(0) == first[0]) {
      input = input.part(0, {1, input.dim(1)}).copy();
    }
  }
}

inline ChangeInputs times_as_large(Scalar factor) {
  return [factor](Tensors& inputs) {
    for (Tensor& input : inputs) {
      std::ranges::for_each(input.values(), [factor](Scalar& number) { number *= factor; });
    }
  };
}

inline Scalar largest_of(const Tensor& x) {
  Scalar largest = 0;
  for (const Scalar number : x.values()) {
    largest = std::max(largest, std::abs(number));
  }
  return largest;
}

inline Tensors changed(const Tensors& inputs, const ChangeInputs& change) {
  Tensors copies;
  for (const Tensor& input : inputs) {
    copies.push_back(input.copy());
  }
  change(copies);
  return copies;
}

// Whether the op accepts the changed inputs, with a finite value and a slope in the first input.
inline bool has_slope(const Specimen& specimen, const ChangeInputs& change) {
  try {
    const Tensors inputs = changed(specimen.inputs, change);
    const Tensor value = value_of(specimen.function, inputs);
    const Tensor dy = random_tensor(value.shape(), mutant_seed, 0.5, 1.5);
    return std::isfinite(largest_of(value)) &&
           largest_of(gradients_of(specimen.function, inputs, dy)[0]) > 1e-12;
  } catch (const std::exception&) {
    return false;
  }
}

// Multiplies the first input's gradient by `factor` if the input satisfies `so`.
inline Mutation edge_mutation(std::string what, const Expectation& expected,
                              const ChangeInputs& change, Scalar factor,
                              const std::function<bool(const Tensor& x)>& so) {
  return {.what = std::move(what),
          .expected = expected,
          .plant = [change, factor, so](const Specimen& specimen,
                                        std::size_t) -> std::optional<GradcheckFunction> {
            if (so(specimen.inputs[0]) || !so(changed(specimen.inputs, change)[0]) ||
                !has_slope(specimen, change)) {
              return {};
            }
            return with_gradients(specimen.function, [factor, so](BackwardPass& pass) {
              if (so(pass.inputs[0])) {
                std::ranges::for_each(pass.gradients[0].values(),
                                      [factor](Scalar& number) { number *= factor; });
              }
            });
          }};
}

inline std::vector<Mutation> broken_edges() {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  return {
      edge_mutation("twice the right gradient where there is one row", {}, cut_to_one_row, 2,
                    [](const Tensor& x) { return x.shape().rank() == 2 && x.dim(0) == 1; }),
      edge_mutation("infinite where numbers are above 100", {.verdict = Verdict::not_finite},
                    times_as_large(1000), infinity,
                    [](const Tensor& x) { return largest_of(x) > 100; }),
      edge_mutation("twice the right gradient where all numbers are below 0.01", {},
                    times_as_large(0.001), 2, [](const Tensor& x) { return largest_of(x) < 0.01; }),
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
