// Plants a wrong backward pass: wraps an op as one op on the tape with the correct value and
// spoiled gradients.
#pragma once

#include "core/gradcheck/gradcheck.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using Vars = std::vector<Var>;
using Tensors = std::vector<Tensor>;

inline Tensors copies_of(const Tensors& tensors) {
  Tensors copies;
  for (const Tensor& tensor : tensors) {
    copies.push_back(tensor.copy());
  }
  return copies;
}

inline Tensors values_of(const Vars& vars) {
  Tensors values;
  for (const Var& var : vars) {
    values.push_back(var.value());
  }
  return values;
}

inline Tensor value_of(const GradcheckFunction& function, const Tensors& inputs) {
  Tape tape(false);
  Vars leaves;
  for (const Tensor& input : inputs) {
    leaves.push_back(tape.constant(input));
  }
  return function(tape, leaves).value();
}

inline Tensors gradients_of(const GradcheckFunction& function, const Tensors& inputs,
                            const Tensor& dy) {
  Tape tape;
  Vars leaves;
  for (const Tensor& input : inputs) {
    leaves.push_back(tape.variable(input));
  }
  tape.backward(function(tape, leaves), dy.copy());
  Tensors gradients;
  for (const Var& leaf : leaves) {
    gradients.push_back(tape.gradient(leaf).copy());
  }
  return gradients;
}

struct BackwardPass {
  const GradcheckFunction& function;  // the correct op
  const Tensors& inputs;
  Tensor dy;
  Tensors gradients;  // the correct gradients, to be spoiled
};

using Spoil = std::function<void(BackwardPass&)>;
using HandIn = std::function<void(Gradients& g, Index input, const BackwardPass& pass)>;

inline const HandIn hand_in_well = [](Gradients& g, Index input, const BackwardPass& pass) {
  g.add(input, pass.gradients[static_cast<std::size_t>(input)]);
};

inline Var record_planted(
    Tape& tape, const Vars& x, const GradcheckFunction& right, Tensor value,
    const Spoil& spoil = [](BackwardPass&) {}, const HandIn& hand_in = hand_in_well) {
  const auto backward = [right, spoil, hand_in, inputs = values_of(x)](Gradients& g) {
    const Tensor& dy = g.output();
    BackwardPass pass{right, inputs, dy.copy(), gradients_of(right, inputs, dy)};
    spoil(pass);
    for (Index k = 0; k < static_cast<Index>(inputs.size()); ++k) {
      if (g.needs(k)) {
        (inputs[static_cast<std::size_t>(k)].size() > 0 ? hand_in : hand_in_well)(g, k, pass);
      }
    }
  };
  return tape.record("mutant", x, std::move(value), backward);
}

// The function with gradients changed by `spoil`, added correctly.
inline GradcheckFunction with_gradients(const GradcheckFunction& right, const Spoil& spoil) {
  return [right, spoil](Tape& tape, const Vars& x) {
    return record_planted(tape, x, right, value_of(right, values_of(x)), spoil);
  };
}

// The function with correct gradients, but one input's gradient is added by `badly`.
inline GradcheckFunction with_hand_in(const GradcheckFunction& right, std::size_t input,
                                      const HandIn& badly) {
  const HandIn hand_in = [input, badly](Gradients& g, Index k, const BackwardPass& pass) {
    (k == static_cast<Index>(input) ? badly : hand_in_well)(g, k, pass);
  };
  return [right, hand_in](Tape& tape, const Vars& x) {
    return record_planted(
        tape, x, right, value_of(right, values_of(x)), [](BackwardPass&) {}, hand_in);
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
