#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "bench/beside_pytorch/case.hpp"
#include "bench/beside_pytorch/pieces.hpp"
#include "bench/beside_pytorch/plain_loops.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Vars = std::vector<Var>;

Tensor squares(const Tensor& x) {
  return each([](Scalar a) { return a * a; }, x);
}

// y = softmax(x).  Each row's largest number is taken off in place.
Var input_shifted_forwards(Tape& tape, const Vars& x) {
  Tensor same_memory = x[0].value();
  for (Index n = 0; n < same_memory.dim(0); ++n) {
    Scalar* row = same_memory.row(n);
    const Scalar most = *std::max_element(row, row + same_memory.dim(1));
    std::transform(row, row + same_memory.dim(1), row, [most](Scalar a) { return a - most; });
  }
  return softmax_with(Backward::right)(tape, x);
}

// y = x².  2 x is computed in place.
Var input_doubled_backwards(Tape& tape, const Vars& x) {
  return tape.record("square", x, squares(x[0].value()), [x = x[0].value()](Gradients& g) {
    Tensor same_memory = x;
    for (Scalar& number : same_memory.values()) {
      number *= 2;
    }
    g.add(0, each(std::multiplies<>(), same_memory, g.output()));
  });
}

// y = x ∘ mask / 0.7, with the same mask in each forward pass.  Backwards another one is drawn.
GradcheckFunction mask_drawn_again() {
  const auto drop = [](const Tensor& x, std::mt19937_64& generator) {
    return each([&](Scalar a) { return std::bernoulli_distribution(0.7)(generator) ? a / 0.7 : 0; },
                x);
  };
  const auto running = std::make_shared<std::mt19937_64>(1);
  return [drop, running](Tape& tape, const Vars& x) {
    std::mt19937_64 seeded(7);
    return tape.record("dropout", x, drop(x[0].value(), seeded),
                       [drop, running](Gradients& g) { g.add(0, drop(g.output(), *running)); });
  };
}

// y = x².  The loop over dx, whose memory begins undefined, ends one element early.
Var element_unwritten(Tape& tape, const Vars& x) {
  return tape.record("square", x, squares(x[0].value()), [x = x[0].value()](Gradients& g) {
    const auto [dx, accumulate] = g.target(0);
    for (Index i = 0; i + 1 < x.size(); ++i) {
      dx[i] = (accumulate ? dx[i] : 0) + 2 * x.data()[i] * g.output().data()[i];
    }
  });
}

// y = a ∘ b.  Both gradients are made where b needs one, and none where it needs none.
Var gradient_hangs_on_other(Tape& tape, const Vars& in) {
  Tensor y = each(std::multiplies<>(), in[0].value(), in[1].value());
  return tape.record("multiply", in, std::move(y),
                     [a = in[0].value(), b = in[1].value()](Gradients& g) {
                       if (g.needs(1)) {
                         g.add(0, each(std::multiplies<>(), g.output(), b));
                         g.add(1, each(std::multiplies<>(), g.output(), a));
                       }
                     });
}

}  // namespace

std::vector<Case> wrong_contracts() {
  const Tensor x = random_input(0, 3, 4);
  return {
      {"input_shifted_forwards", {x}, input_shifted_forwards},
      {"input_doubled_backwards", {x}, input_doubled_backwards},
      {"mask_drawn_again", {x}, mask_drawn_again()},
      {"element_unwritten", {x}, element_unwritten},
      {"gradient_hangs_on_other", {x, random_input(1, 3, 4)}, gradient_hangs_on_other},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
