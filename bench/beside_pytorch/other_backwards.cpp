#include <cmath>
#include <utility>

#include "bench/beside_pytorch/case.hpp"
#include "bench/beside_pytorch/pieces.hpp"
#include "bench/beside_pytorch/plain_loops.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// y = |x|.  dx = dy where x is 0, where y has no derivative.
Var kink(Tape& tape, const std::vector<Var>& x) {
  Tensor y = each([](Scalar a) { return std::abs(a); }, x[0].value());
  return tape.record("absolute", x, std::move(y), [x = x[0].value()](Gradients& g) {
    g.add(0, each([](Scalar a, Scalar d) { return a < 0 ? -d : d; }, x, g.output()));
  });
}

// y = x + b, for each row.  db = dy, in the shape of y.
Var bias_left_broadcast(Tape& tape, const std::vector<Var>& in) {
  const Tensor x = in[0].value();
  const Tensor bias = in[1].value();
  Tensor y =
      matrix_of(x.dim(0), x.dim(1), [&](Index n, Index d) { return x.row(n)[d] + bias.data()[d]; });
  return tape.record("add_bias", in, std::move(y), [](Gradients& g) {
    g.add(0, g.output());
    g.add(1, g.output());
  });
}

}  // namespace

std::vector<Case> other_backwards() {
  const Tensor x = random_input(0, 3, 4);
  Tensor with_zero = x.copy();
  with_zero.row(1)[2] = 0;
  return {
      {"softmax", {x}, softmax_with(Backward::right)},
      {"norm", {x}, normalize_with(Backward::right)},
      {"gelu", {x}, gelu_with(Backward::right)},
      {"attention",
       {random_input(0, 4, 3), random_input(1, 4, 3), random_input(2, 4, 5)},
       causal_attention_with(Backward::right)},
      {"kink", {with_zero}, kink},
      {"bias_left_broadcast", {x, random_input(1, 4)}, bias_left_broadcast},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
