// tapehead_bench overhead: what an op costs beside its arithmetic.
#include "bench/measure.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/tape/tape.hpp"

namespace tapehead {

namespace {

struct OverheadArguments {
  double seconds = 1;  // for one row
  bool json = false;
};

// No arithmetic and no memory: what the tape itself costs.
Var identity(const Var& x) {
  return x.tape().record("identity", {x}, x.value(),
                         [](Gradients& g) { g.add(0, g.take_output()); });
}

// Nanoseconds for one op: the op itself and its record, also to forget the record of the last time.
struct Cost {
  double forward;
  double backward;

  double total() const { return forward + backward; }
};

void run_overhead_bench(const OverheadArguments& arguments) {
  Report table(arguments.json, {"op", "ns", "best_ns", "forward_ns", "backward_ns"});
  const auto measure = [&](const char* name, const auto& op) {
    constexpr int length = 1000;
    Tape tape;
    const Tensor one = Tensor::full({1, 1}, 1);
    // A chain of ops, each on the 1 x 1 result of the one before.
    const auto costs = repeat(5, arguments.seconds, [&] {
      const auto begin = Clock::now();
      tape.clear();
      Var x = tape.variable(one);
      for (int i = 0; i < length; ++i) {
        x = op(x);
      }
      const auto turn = Clock::now();
      tape.backward(x, one);
      return Cost{.forward = 1e9 * seconds_between(begin, turn) / length,
                  .backward = 1e9 * seconds_since(turn) / length};
    });
    table.row({{"op", name},
               {"ns", median(costs, &Cost::total)},
               {"best_ns", std::ranges::min(costs, {}, &Cost::total).total()},
               {"forward_ns", median(costs, &Cost::forward)},
               {"backward_ns", median(costs, &Cost::backward)}});
  };
  measure("identity", identity);
  measure("scale", [](const Var& x) { return scale(x, 1); });
  measure("multiply", [](const Var& x) { return multiply(x, x); });
}

}  // namespace

void add_overhead_bench(CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "overhead",
      "What an op costs beside its arithmetic: its record, its closure and its backward pass, on "
      "1 x 1 matrices, one after the other on one thread",
      run_overhead_bench);
  command.add_option("--seconds", arguments.seconds, "Time for one row");
}

}  // namespace tapehead
