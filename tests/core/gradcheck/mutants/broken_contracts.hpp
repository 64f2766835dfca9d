// Mutations of a whole op: of its forward pass, or of memory that the backward pass must keep.
#pragma once

#include "tests/core/gradcheck/mutants/mutation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Changes the value before it is recorded.
using ChangeValue = std::function<void(Tape&, const Vars& x, Tensor& value)>;

inline GradcheckFunction with_value(const GradcheckFunction& right, const ChangeValue& change) {
  return [right, change](Tape& tape, const Vars& x) {
    Tensor value = value_of(right, values_of(x)).copy();
    change(tape, x, value);
    return record_planted(tape, x, right, std::move(value), [](BackwardPass&) {}, hand_in_well);
  };
}

inline Mutation forward_mutation(std::string what, Verdict verdict,
                                 const std::function<ChangeValue()>& make) {
  return {.what = std::move(what),
          .expected = {.verdict = verdict},
          .plant = [make](const Specimen& specimen, std::size_t) {
            return std::optional(with_value(specimen.function, make()));
          }};
}

inline void multiply_by(Tensor& tensor, Scalar factor) {
  std::ranges::for_each(tensor.values(), [factor](Scalar& number) { number *= factor; });
}

inline std::vector<Mutation> broken_forwards() {
  return {
      forward_mutation("the value has other bits each time", Verdict::nondeterministic,
                       [] {
                         return [calls = std::make_shared<Scalar>(0)](Tape&, const Vars&,
                                                                      Tensor& value) {
                           *calls += 1;
                           multiply_by(value, 1 + Scalar(1e-12) * *calls);
                         };
                       }),
      forward_mutation("another value while the tape records", Verdict::nondeterministic,
                       [] {
                         return [](Tape& tape, const Vars&, Tensor& value) {
                           multiply_by(value, tape.recording() ? 1.5 : 1);
                         };
                       }),
      forward_mutation("one number of the value is none", Verdict::not_finite,
                       [] {
                         return [](Tape&, const Vars&, Tensor& value) {
                           std::ranges::fill(value.values().last(value.size() > 0 ? 1 : 0),
                                             std::numeric_limits<Scalar>::quiet_NaN());
                         };
                       }),
      forward_mutation("the forward pass changes its first input", Verdict::input_overwritten,
                       [] {
                         return [](Tape&, const Vars& x, Tensor&) {
                           Tensor same_memory = x[0].value();
                           multiply_by(same_memory, 1.5);
                         };
                       }),
  };
}

// The backward pass holds the output and changes it.
inline Mutation changes_output() {
  return {.what = "the backward pass changes its output",
          .expected = {.verdict = Verdict::input_overwritten},
          .plant = [](const Specimen& specimen, std::size_t) {
            return std::optional<GradcheckFunction>(
                [right = specimen.function](Tape& tape, const Vars& x) {
                  const Tensor value = value_of(right, values_of(x)).copy();
                  const Spoil spoil = [value](BackwardPass&) {
                    Tensor same_memory = value;
                    multiply_by(same_memory, 1.5);
                  };
                  return record_planted(tape, x, right, value, spoil, hand_in_well);
                });
          }};
}

inline Mutation changes_cotangent() {
  return {.what = "the backward pass changes the gradient of its output",
          .expected = {.verdict = Verdict::input_overwritten},
          .plant = [](const Specimen& specimen, std::size_t) {
            const HandIn hand_in = [](Gradients& g, Index k, const BackwardPass& pass) {
              hand_in_well(g, k, pass);
              Tensor same_memory = g.output();
              multiply_by(same_memory, 1.5);
            };
            return std::optional(with_hand_in(specimen.function, 0, hand_in));
          }};
}

inline Mutation throws_backwards() {
  return {.what = "the backward pass throws",
          .expected = {.verdict = Verdict::failed},
          .plant = [](const Specimen& specimen, std::size_t) {
            return std::optional(with_gradients(
                specimen.function, [](BackwardPass&) { throw std::runtime_error("as planted"); }));
          }};
}

// If two inputs are one Var, only one of the two gradients is added.
inline Mutation loses_one_of_two() {
  return {.what = "one part is lost where one Var is given for two inputs",
          .expected = {.verdict = Verdict::not_accumulated},
          .plant = [](const Specimen& specimen, std::size_t) -> std::optional<GradcheckFunction> {
            const Tensors& at = specimen.inputs;
            if (at.size() < 2 || at[0].shape() != at[1].shape()) {
              return {};
            }
            return with_hand_in(specimen.function, 1,
                                [](Gradients& g, Index k, const BackwardPass& pass) {
                                  if (pass.inputs[0].data() != pass.inputs[1].data()) {
                                    hand_in_well(g, k, pass);
                                  }
                                });
          }};
}

inline std::vector<Mutation> broken_contracts() {
  std::vector<Mutation> all = broken_forwards();
  all.insert(all.end(),
             {changes_output(), changes_cotangent(), throws_backwards(), loses_one_of_two()});
  return all;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
