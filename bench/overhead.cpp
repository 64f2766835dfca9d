#include "bench/overhead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/ops/arithmetic.hpp"
#include "core/tape/tape.hpp"

namespace tapehead {

namespace {

using Clock = std::chrono::steady_clock;

struct OverheadArguments {
  double seconds = 1;  // for one row
  bool json = false;
};

struct TinyOp {
  std::string_view name;
  Var (*apply)(const Var& x);
};

// No arithmetic and no memory: what the tape itself costs.
Var identity(const Var& x) {
  return x.tape().record("identity", {x}, x.value(),
                         [](Gradients& g) { g.add(0, g.take_output()); });
}

constexpr std::array<TinyOp, 3> tiny_ops{{
    {"identity", identity},
    {"scale", [](const Var& x) { return scale(x, 1); }},
    {"multiply", [](const Var& x) { return multiply(x, x); }},
}};

// Nanoseconds for one op.
struct Cost {
  double forward;  // the op itself and its record; to forget the record of the last time
  double backward;

  double total() const { return forward + backward; }
};

// A pass through a chain of ops, each on the 1 x 1 result of the one before.
Cost run_chain(const TinyOp& op, Tape& tape, const Tensor& one) {
  constexpr Index length = 1000;
  const auto begin = Clock::now();
  tape.clear();
  Var x = tape.variable(one);
  for (Index i = 0; i < length; ++i) {
    x = op.apply(x);
  }
  const auto turn = Clock::now();
  tape.backward(x, one);
  const auto end = Clock::now();
  const auto each = [](Clock::duration time) {
    return std::chrono::duration<double, std::nano>(time).count() / static_cast<double>(length);
  };
  return {.forward = each(turn - begin), .backward = each(end - turn)};
}

std::vector<Cost> measure(const TinyOp& op, double seconds) {
  Tape tape;
  const Tensor one = Tensor::full({1, 1}, 1);
  run_chain(op, tape, one);
  std::vector<Cost> costs;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (costs.size() < 5 || Clock::now() < end) {
    costs.push_back(run_chain(op, tape, one));
  }
  std::ranges::sort(costs, {}, &Cost::total);
  return costs;
}

void print(const TinyOp& op, const Cost& median, const Cost& best, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"op", op.name},
                                         {"ns", median.total()},
                                         {"best_ns", best.total()},
                                         {"forward_ns", median.forward},
                                         {"backward_ns", median.backward}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{:>8} {:>10.1f} {:>10.1f} {:>10.1f} {:>11.1f}\n", op.name, median.total(),
               best.total(), median.forward, median.backward);
  }
}

void run(const OverheadArguments& arguments) {
  if (!arguments.json) {
    fmt::print("{:>8} {:>10} {:>10} {:>10} {:>11}\n", "op", "median ns", "best ns", "forward ns",
               "backward ns");
  }
  for (const TinyOp& op : tiny_ops) {
    const std::vector<Cost> costs = measure(op, arguments.seconds);
    print(op, costs[costs.size() / 2], costs.front(), arguments.json);
  }
}

}  // namespace

void add_overhead_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "overhead",
      "What an op costs beside its arithmetic: its record, its closure and its backward pass, on "
      "1 x 1 matrices, one after the other on one thread");
  const auto arguments = std::make_shared<OverheadArguments>();
  command->add_option("--seconds", arguments->seconds, "Time for one row")->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
