// A gated linear unit that learns another one, which is written with xtensor: its loss falls a
// thousandfold.
#include <cstdio>

#include "gated.hpp"
#include "gated_linear.hpp"

using namespace tapehead;

struct GatedUnit {
  explicit GatedUnit(const Scope& scope)
      : value(scope.create("value", ParameterKind::matrix, {3, 4}, Initializer::normal(0.5))),
        gate(scope.create("gate", ParameterKind::matrix, {3, 4}, Initializer::normal(0.5))) {}
  Var operator()(Pass& pass, const Var& x) const {
    return gated(linear(x, pass.parameter(value)), linear(x, pass.parameter(gate)));
  }
  Parameter value, gate;
};

int main() {
  prepare_blas();
  ParameterStore store, teacher_store;
  const GatedUnit model(store.root()), teacher(teacher_store.root());
  store.initialize(1);
  teacher_store.initialize(2);
  ParameterGradients gradients(store);
  Workers workers(1);
  Optimizer optimizer(store, {.optimizer = OptimizerKind::adam});
  double first = 0, loss = 0;
  for (Index step = 1; step <= 500; ++step) {
    Tensor x = Tensor::empty({64, 4});
    for (Index i = 0; i < x.size(); ++i) {
      x.data()[i] =
          static_cast<Scalar>(draw_normal(Draws(3, "x", step), static_cast<std::uint64_t>(i)));
    }
    Tape tape;
    Pass pass(tape, store, gradients, 1, step), taught(tape, teacher_store);
    const Var right = gated_linear(tape.constant(x), taught.parameter(teacher.value),
                                   taught.parameter(teacher.gate));
    const Var error = subtract(model(pass, tape.constant(x)), right);
    const Var mean_square = mean(multiply(error, error));
    loss = static_cast<double>(mean_square.value().data()[0]);
    first = step == 1 ? loss : first;
    gradients.forget();
    tape.backward(mean_square);
    optimizer.step(workers, {&gradients}, 1, 2e-2);
  }
  std::printf("loss %.6f -> %.6f\n", first, loss);
  return loss < first / 1000 ? 0 : 1;
}
