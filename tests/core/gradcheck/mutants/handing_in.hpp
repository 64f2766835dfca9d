// Mutations of how a backward pass adds the correct gradient of one input.
#pragma once

#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline Plant handed_in(const HandIn& hand_in) {
  return [hand_in](const Specimen& specimen, std::size_t input) {
    return with_hand_in(specimen.function, input, hand_in);
  };
}

// For mistakes that need another input.
inline Plant with_another(const HandIn& hand_in) {
  return planted_if(
      [](const Specimen& specimen, std::size_t) { return specimen.inputs.size() > 1; },
      handed_in(hand_in));
}

inline Index next_input(const BackwardPass& pass, Index k) {
  return (k + 1) % std::ssize(pass.inputs);
}

inline const Tensor& of_input(const BackwardPass& pass, Index k) {
  return pass.gradients[static_cast<std::size_t>(k)];
}

inline void put_numbers(const Tensor& from, Index count, const GradientTarget& to,
                        bool accumulate) {
  for (Index i = 0; i < count; ++i) {
    to.data[i] = from.data()[i] + (accumulate ? to.data[i] : 0);
  }
}

inline void hand_in_nan(Gradients& g, Index k, const BackwardPass& pass) {
  Tensor gradient = of_input(pass, k).copy();
  gradient.data()[gradient.size() / 2] = std::numeric_limits<Scalar>::quiet_NaN();
  g.add(k, std::move(gradient));
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

inline GradcheckFunction with_other_bits_each_time(const Specimen& specimen, std::size_t input) {
  const auto calls = std::make_shared<Scalar>(0);
  const HandIn hand_in = [calls](Gradients& g, Index k, const BackwardPass& pass) {
    *calls += 1;
    Tensor gradient = of_input(pass, k).copy();
    multiply_by(gradient, 1 + Scalar(1e-12) * *calls);
    g.add(k, std::move(gradient));
  };
  return with_hand_in(specimen.function, input, hand_in);
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
inline void hang_on_another(Gradients& g, Index k, const BackwardPass& pass) {
  if (g.needs(next_input(pass, k))) {
    hand_in_well(g, k, pass);
  }
}

// Writes another input's gradient without asking whether that input needs one.
inline void write_another(Gradients& g, Index k, const BackwardPass& pass) {
  hand_in_well(g, k, pass);
  if (!g.needs(next_input(pass, k))) {
    always_overwrite(g, next_input(pass, k), pass);
  }
}

// The op with its input replaced by a constant, so that it does not depend on the input.
inline GradcheckFunction held_fast(const Specimen& specimen, std::size_t input) {
  const Tensor at = specimen.inputs[input].copy();
  return [function = specimen.function, input, at](Tape& tape, const Vars& x) {
    Vars changed = x;
    changed[input] = tape.constant(at);
    return function(tape, changed);
  };
}

// The same with the gradient of the op.
inline GradcheckFunction phantom(const Specimen& specimen, std::size_t input) {
  return [right = specimen.function, held = held_fast(specimen, input)](Tape& tape, const Vars& x) {
    return record_planted(tape, x, right, value_of(held, values_of(x)));
  };
}

inline std::vector<Mutation> bad_hand_ins() {
  using enum Verdict;
  const HandIn nothing = [](Gradients&, Index, const BackwardPass&) {};
  return {
      {"no gradient arrives", {wrong, {WrongKind::no_gradient}}, handed_in(nothing)},
      {"none, and the value is computed with another tensor in the input's place",
       {unused_input},
       held_fast},
      {"as if the input were used, though another tensor is used in its place",
       {wrong, {WrongKind::too_many}},
       phantom},
      {"none where another input needs none", {wrong}, with_another(hang_on_another)},
      {"another input's gradient is written as well, where it needs none",
       {failed},
       with_another(write_another)},
      {"one element is not a number", {not_finite}, handed_in(hand_in_nan)},
      {"the last element is not written", {not_written}, handed_in(leave_last_unwritten)},
      {"added where nothing is yet", {not_written}, handed_in(always_add)},
      {"written over what is there", {not_accumulated}, handed_in(always_overwrite)},
      {"other bits each time", {nondeterministic}, with_other_bits_each_time},
      {"handed in with another shape", {wrong_shape}, handed_in(hand_in_flat)},
      {"the input is changed on the way", {input_overwritten}, handed_in(write_into_input)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
