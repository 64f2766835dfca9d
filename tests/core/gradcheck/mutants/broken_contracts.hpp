// Mutations of a whole op: of its forward pass, of memory that the backward pass must keep, and
// mutations that only inputs other than the given ones show: one row, very large or small numbers.
#pragma once

#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Changes the value before it is recorded.
using ChangeValue = std::function<void(Tape&, const Vars& x, Tensor& value)>;

inline GradcheckFunction with_value(const GradcheckFunction& right, const ChangeValue& change) {
  return [right, change](Tape& tape, const Vars& x) {
    Tensor value = value_of(right, values_of(x)).copy();
    change(tape, x, value);
    return record_planted(tape, x, right, std::move(value));
  };
}

inline Plant forward_changed(const ChangeValue& change) {
  return [change](const Specimen& specimen, std::size_t) {
    return with_value(specimen.function, change);
  };
}

inline GradcheckFunction with_other_values_each_time(const Specimen& specimen, std::size_t) {
  const auto calls = std::make_shared<Scalar>(0);
  return with_value(specimen.function, [calls](Tape&, const Vars&, Tensor& value) {
    *calls += 1;
    multiply_by(value, 1 + Scalar(1e-12) * *calls);
  });
}

inline void change_where_recorded(Tape& tape, const Vars&, Tensor& value) {
  multiply_by(value, tape.recording() ? 1.5 : 1);
}

inline void put_nan(Tape&, const Vars&, Tensor& value) {
  std::ranges::fill(value.values().last(value.size() > 0 ? 1 : 0),
                    std::numeric_limits<Scalar>::quiet_NaN());
}

inline void change_memory(Tensor same_memory) { multiply_by(same_memory, 1.5); }

inline void change_first_input(Tape&, const Vars& x, Tensor&) { change_memory(x[0].value()); }

// The backward pass holds the output and changes it.
inline GradcheckFunction changes_output(const Specimen& specimen, std::size_t) {
  return [right = specimen.function](Tape& tape, const Vars& x) {
    const Tensor value = value_of(right, values_of(x)).copy();
    return record_planted(tape, x, right, value, [value](BackwardPass&) { change_memory(value); });
  };
}

inline GradcheckFunction changes_cotangent(const Specimen& specimen, std::size_t) {
  return with_hand_in(specimen.function, 0, [](Gradients& g, Index k, const BackwardPass& pass) {
    hand_in_well(g, k, pass);
    change_memory(g.output());
  });
}

inline GradcheckFunction throws_backwards(const Specimen& specimen, std::size_t) {
  return with_gradients(specimen.function,
                        [](BackwardPass&) { throw std::runtime_error("as planted"); });
}

inline bool has_two_alike(const Specimen& specimen, std::size_t) {
  const Tensors& at = specimen.inputs;
  return at.size() > 1 && at[0].shape() == at[1].shape();
}

// If two inputs are one Var, only one of the two gradients is added.
inline GradcheckFunction loses_one_of_two(const Specimen& specimen, std::size_t) {
  return with_hand_in(specimen.function, 1, [](Gradients& g, Index k, const BackwardPass& pass) {
    if (pass.inputs[0].data() != pass.inputs[1].data()) {
      hand_in_well(g, k, pass);
    }
  });
}

inline std::vector<Mutation> broken_contracts() {
  using enum Verdict;
  return {
      {"the value has other bits each time", {nondeterministic}, with_other_values_each_time},
      {"another value while the tape records",
       {nondeterministic},
       forward_changed(change_where_recorded)},
      {"one number of the value is none", {not_finite}, forward_changed(put_nan)},
      {"the forward pass changes its first input",
       {input_overwritten},
       forward_changed(change_first_input)},
      {"the backward pass changes its output", {input_overwritten}, changes_output},
      {"the backward pass changes the gradient of its output",
       {input_overwritten},
       changes_cotangent},
      {"the backward pass throws", {failed}, throws_backwards},
      {"one part is lost where one Var is given for two inputs",
       {not_accumulated},
       planted_if(has_two_alike, loses_one_of_two)},
  };
}

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
      multiply_by(input, factor);
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
  Tensors copies = copies_of(inputs);
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
inline Plant at_edge(const ChangeInputs& change, Scalar factor,
                     const std::function<bool(const Tensor& x)>& so) {
  const auto shows = [change, so](const Specimen& specimen, std::size_t) {
    return !so(specimen.inputs[0]) && so(changed(specimen.inputs, change)[0]) &&
           has_slope(specimen, change);
  };
  return planted_if(shows, [factor, so](const Specimen& specimen, std::size_t) {
    return with_gradients(specimen.function, [factor, so](BackwardPass& pass) {
      multiply_by(pass.gradients[0], so(pass.inputs[0]) ? factor : 1);
    });
  });
}

inline std::vector<Mutation> broken_edges() {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const auto one_row = [](const Tensor& x) { return x.shape().rank() == 2 && x.dim(0) == 1; };
  const auto large = [](const Tensor& x) { return largest_of(x) > 100; };
  const auto small = [](const Tensor& x) { return largest_of(x) < 0.01; };
  return {
      {"twice the right gradient where there is one row", {}, at_edge(cut_to_one_row, 2, one_row)},
      {"infinite where numbers are above 100",
       {Verdict::not_finite},
       at_edge(times_as_large(1000), infinity, large)},
      {"twice the right gradient where all numbers are below 0.01",
       {},
       at_edge(times_as_large(0.001), 2, small)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
