// A mistake specific to one op: the gradients of a wrong derivation or of a slip in its code. Most
// are the gradients of another function with some parts detached.
#pragma once

#include "core/ops/arithmetic.hpp"
#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Mistake {
  std::string op;                   // name of the subject
  std::vector<std::size_t> inputs;  // inputs with a wrong gradient
  std::string what;
  std::vector<WrongKind> kinds;
  Spoil spoil;  // its changes to the gradients of other inputs are undone
};

inline Mutant mutant_of(const Mistake& mistake, const Specimen& specimen) {
  const Spoil only_these = [mistake](BackwardPass& pass) {
    const Tensors right = copies_of(pass.gradients);
    mistake.spoil(pass);
    for (std::size_t k = 0; k < right.size(); ++k) {
      if (std::ranges::find(mistake.inputs, k) == mistake.inputs.end()) {
        pass.gradients[k] = right[k];
      }
    }
  };
  return {.about = about(specimen.subject, mistake.inputs),
          .mistake = mistake.what,
          .inputs = mistake.inputs,
          .expected = {.kinds = mistake.kinds},
          .function = with_gradients(specimen.function, only_these),
          .at = specimen.inputs};
}

// The gradients of another function of the same inputs.
inline Spoil as_of(const std::function<Var(const Vars& x)>& other) {
  return [other](BackwardPass& pass) {
    const GradcheckFunction function = [&other](Tape&, const Vars& x) { return other(x); };
    pass.gradients = gradients_of(function, pass.inputs, pass.dy);
  };
}

// The gradients without the contribution of the output's last row.
inline void forget_last_row(BackwardPass& pass) {
  std::ranges::fill(pass.dy.values().last(static_cast<std::size_t>(pass.dy.dim(1))), Scalar{0});
  pass.gradients = gradients_of(pass.function, pass.inputs, pass.dy);
}

inline Mistake last_row_forgotten(const std::string& op, std::size_t input) {
  return {op, {input}, "the last row is left out of the sum", {WrongKind::term}, forget_last_row};
}

// The value of x without its gradient path.
inline Var detached(const Var& x) { return x.tape().constant(x.value()); }

// x, with its gradient multiplied by `factor`.
inline Var gradient_times(const Var& x, Scalar factor) {
  return add(scale(x, factor), detached(scale(x, 1 - factor)));
}

// An element-wise op given by its derivative alone: dx = dy ∘ slope(x). Its value is 0.
inline Var with_slope(const Var& x, const std::function<Scalar(Scalar)>& slope) {
  return x.tape().record(
      "with_slope", {x}, Tensor::zeros(x.shape()), [x = x.value(), slope](Gradients& g) {
        Tensor dx = Tensor::empty(x.shape());
        std::ranges::transform(x.values(), g.output().values(), dx.data(),
                               [&slope](Scalar a, Scalar d) { return d * slope(a); });
        g.add(0, std::move(dx));
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
