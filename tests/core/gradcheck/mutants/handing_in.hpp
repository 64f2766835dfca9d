// Mutations of how a backward pass adds the correct gradient of one input.
#pragma once

#include "tests/core/gradcheck/mutants/mutation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline Mutation bad_hand_in(std::string what, Verdict verdict, WrongKind kind,
                            const std::function<HandIn()>& make) {
  return {.what = std::move(what),
          .expected = {.verdict = verdict, .kinds = {kind}},
          .plant = [make](const Specimen& specimen, std::size_t input) {
            return std::optional(with_hand_in(specimen.function, input, make()));
          }};
}

inline Mutation bad_hand_in(std::string what, Verdict verdict, const HandIn& hand_in) {
  return bad_hand_in(std::move(what), verdict, WrongKind::none, [hand_in] { return hand_in; });
}

inline const Tensor& of_input(const BackwardPass& pass, Index k) {
  return pass.gradients[static_cast<std::size_t>(k)];
}

inline void hand_in_nan(Gradients& g, Index k, const BackwardPass& pass) {
  Tensor gradient = of_input(pass, k).copy();
  gradient.data()[gradient.size() / 2] = std::numeric_limits<Scalar>::quiet_NaN();
  g.add(k, std::move(gradient));
}

inline void put_numbers(const Tensor& from, Index count, const GradientTarget& to,
                        bool accumulate) {
  for (Index i = 0; i < count; ++i) {
    to.data[i] = from.data()[i] + (accumulate ? to.data[i] : 0);
  }
}

inline void leave_last_unwritten(Gradients& g, Index k, const BackwardPass& pass) {
  const GradientTarget to = g.target(k);
  const Tensor& gradient = of_input(pass, k);
  put_numbers(gradient, gradient.size() - (to.accumulate ? 0 : 1), to, to.accumulate);
}

inline void always_add(Gradients& g, Index k, const BackwardPass& pass) {
  put_numbers(of_input(pass, k), of_input(pass, k).size(), g.target(k), true);
}

inline void always_overwrite(Gradients& g, Index k, const BackwardPass& pass) {
  put_numbers(of_input(pass, k), of_input(pass, k).size(), g.target(k), false);
}

inline HandIn other_bits_each_time() {
  return [calls = std::make_shared<Scalar>(0)](Gradients& g, Index k, const BackwardPass& pass) {
    *calls += 1;
    Tensor gradient = of_input(pass, k).copy();
    for (Scalar& number : gradient.values()) {
      number *= 1 + Scalar(1e-12) * *calls;
    }
    g.add(k, std::move(gradient));
  };
}

inline void hand_in_flat(Gradients& g, Index k, const BackwardPass& pass) {
  const Tensor& gradient = of_input(pass, k);
  const bool vector = gradient.shape().rank() == 1;
  g.add(k, gradient.part(0, vector ? Shape{1, gradient.size()} : Shape{gradient.size()}));
}

inline void write_into_input(Gradients& g, Index k, const BackwardPass& pass) {
  hand_in_well(g, k, pass);
  Tensor same_memory = pass.inputs[static_cast<std::size_t>(k)];
  same_memory.data()[0] += 0.25;
}

// Correct if all inputs need gradients.
inline Mutation hangs_on_another() {
  return {
      .what = "none where another input needs none",
      .expected = {},
      .plant = [](const Specimen& specimen, std::size_t input) -> std::optional<GradcheckFunction> {
        const auto count = static_cast<Index>(specimen.inputs.size());
        if (count == 1) {
          return {};
        }
        return with_hand_in(specimen.function, input,
                            [count](Gradients& g, Index k, const BackwardPass& pass) {
                              if (g.needs((k + 1) % count)) {
                                hand_in_well(g, k, pass);
                              }
                            });
      }};
}

// Writes another input's gradient without asking whether that input needs one.
inline Mutation does_not_ask() {
  return {
      .what = "another input's gradient is written as well, where it needs none",
      .expected = {.verdict = Verdict::failed},
      .plant = [](const Specimen& specimen, std::size_t input) -> std::optional<GradcheckFunction> {
        const auto count = static_cast<Index>(specimen.inputs.size());
        if (count == 1) {
          return {};
        }
        return with_hand_in(specimen.function, input,
                            [count](Gradients& g, Index k, const BackwardPass& pass) {
                              hand_in_well(g, k, pass);
                              const Index other = (k + 1) % count;
                              if (!g.needs(other)) {
                                always_overwrite(g, other, pass);
                              }
                            });
      }};
}

// The op with its input replaced by a constant, so that it does not depend on the input.
inline GradcheckFunction held_fast(const GradcheckFunction& function, std::size_t input,
                                   const Tensor& at) {
  return [function, input, at](Tape& tape, const Vars& x) {
    Vars changed = x;
    changed[input] = tape.constant(at);
    return function(tape, changed);
  };
}

inline Mutation uses_another() {
  return {
      .what = "none, and the value is computed with another tensor in the input's place",
      .expected = {.verdict = Verdict::unused_input},
      .plant = [](const Specimen& specimen, std::size_t input) {
        return std::optional(held_fast(specimen.function, input, specimen.inputs[input].copy()));
      }};
}

inline Mutation phantom() {
  return {.what = "as if the input were used, though another tensor is used in its place",
          .expected = {.kinds = {WrongKind::too_many}},
          .plant = [](const Specimen& specimen, std::size_t input) {
            const GradcheckFunction right = specimen.function;
            const Tensor at = specimen.inputs[input].copy();
            return std::optional<GradcheckFunction>([=](Tape& tape, const Vars& x) {
              const Tensor value = value_of(held_fast(right, input, at), values_of(x));
              return record_planted(tape, x, right, value, [](BackwardPass&) {}, hand_in_well);
            });
          }};
}

inline std::vector<Mutation> bad_hand_ins() {
  return {
      bad_hand_in("no gradient arrives", Verdict::wrong, WrongKind::no_gradient,
                  [] { return [](Gradients&, Index, const BackwardPass&) {}; }),
      uses_another(),
      phantom(),
      hangs_on_another(),
      does_not_ask(),
      bad_hand_in("one element is not a number", Verdict::not_finite, hand_in_nan),
      bad_hand_in("the last element is not written", Verdict::not_written, leave_last_unwritten),
      bad_hand_in("added where nothing is yet", Verdict::not_written, always_add),
      bad_hand_in("written over what is there", Verdict::not_accumulated, always_overwrite),
      bad_hand_in("other bits each time", Verdict::nondeterministic, WrongKind::none,
                  other_bits_each_time),
      bad_hand_in("handed in with another shape", Verdict::wrong_shape, hand_in_flat),
      bad_hand_in("the input is changed on the way", Verdict::input_overwritten, write_into_input),
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
