// tapehead_bench overhead and scaling: the overhead of an op; and attention over the sequence
// length: time, memory, and time relative to its matrix products.
#include "bench/measure.hpp"
#include "core/memory/pool.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/tape/tape.hpp"
#include "train/plan/step_flops.hpp"

namespace tapehead {

namespace {

struct OverheadArguments {
  double seconds = 1;  // for one row
  bool json = false;
};

// The time of one forward and one backward pass.
struct Passes {
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
    // Nanoseconds for one op and its record, including the removal of the previous record. Each op
    // takes the 1 x 1 result of the op before.
    const auto costs = repeat(5, arguments.seconds, [&] {
      const auto begin = Clock::now();
      tape.clear();
      Var x = tape.variable(one);
      for (int i = 0; i < length; ++i) {
        x = op(x);
      }
      const auto turn = Clock::now();
      tape.backward(x, one);
      return Passes{.forward = 1e9 * seconds_between(begin, turn) / length,
                    .backward = 1e9 * seconds_since(turn) / length};
    });
    table.row({{"op", name},
               {"ns", median(costs, &Passes::total)},
               {"best_ns", std::ranges::min(costs, {}, &Passes::total).total()},
               {"forward_ns", median(costs, &Passes::forward)},
               {"backward_ns", median(costs, &Passes::backward)}});
  };
  measure("identity", [](const Var& x) {  // no arithmetic and no memory: the tape itself
    return x.tape().record("identity", {x}, x.value(),
                           [](Gradients& g) { g.add(0, g.take_output()); });
  });
  measure("scale", [](const Var& x) { return scale(x, 1); });
  measure("multiply", [](const Var& x) { return multiply(x, x); });
}

struct ScalingArguments {
  bool quick = false;
  bool json = false;
};

// Measures one sequence of n rows, forward and backward. The ratios compare with cached blocked
// products of equal work: two over the pairs forward and five backward, where the scores are
// computed again.
Json measure_core(const std::string& name, const Pattern& pattern, Index n) {
  constexpr Index heads = 4;
  constexpr Index d_head = 64;
  constexpr Index columns = heads * d_head;
  const double rate = 1e9 * sgemm_rate(256, 256, d_head);
  const Tensor rows = varied_numbers({n, 3 * columns});
  const Segments segments = segments_of({n});
  const AttentionOptions options{
      .heads = heads, .d_key = d_head, .d_value = d_head, .patterns = {pattern}};
  Tape tape;
  const auto runs = repeat(2, 0.3, [&] {
    tape.clear();
    const Var x = tape.variable(rows);
    Tensor cotangent = Tensor::full({n, columns}, 1);
    const auto begin = Clock::now();
    const Var y = attention({x, 0}, {x, columns}, {x, 2 * columns}, segments, segments, options);
    const auto turn = Clock::now();
    tape.backward(y, std::move(cotangent));
    return Passes{.forward = seconds_between(begin, turn), .backward = seconds_since(turn)};
  });
  const double forward = std::ranges::min(runs, {}, &Passes::forward).forward;
  const double backward = std::ranges::min(runs, {}, &Passes::backward).backward;
  const double product =
      2 * allowed_pairs(pattern, {n, n, 0, 0, 0}).scores * static_cast<double>(columns);
  return {{"pattern", name},
          {"n", n},
          {"forward_ms", 1e3 * forward},
          {"backward_ms", 1e3 * backward},
          {"forward_ratio", forward * rate / (2 * product)},
          {"backward_ratio", backward * rate / (5 * product)},
          {"ratio", (forward + backward) * rate / (7 * product)},
          {"block_gflops", rate / 1e9},
          {"pool_mb", static_cast<double>(pool_use().bytes_peak) / 1e6}};
}

// The slope of log(time) over log(n), by least squares. n doubles from row to row.
double exponent(const std::vector<Json>& rows) {
  const double middle = static_cast<double>(rows.size() - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    products += x * std::log2(rows[i].at("forward_ms").get<double>() +
                              rows[i].at("backward_ms").get<double>());
    squares += x * x;
  }
  return products / squares;
}

void run_scaling_bench(const ScalingArguments& arguments) {
  constexpr Index settled = 512;  // from here on, the edges of a window matter little
  Report table(arguments.json,
               {"pattern", "n", "forward_ms", "backward_ms", "forward_ratio", "backward_ratio",
                "ratio", "block_gflops", "pool_mb", "exponent"},
               12);
  const std::vector<std::pair<std::string, Pattern>> patterns{
      {"full", Pattern::full()},
      {"causal", Pattern::causal()},
      {"window 64+64", Pattern::window(64, 64)},
      {"blocks 128", Pattern::blocks(128)},
      {"strided 64", Pattern::strided(64).looking_back()},
      {"fixed 64, 4", Pattern::fixed(64, 4).looking_back()},
      {"top 32", Pattern::causal().top(32)}};
  for (const auto& [name, pattern] : patterns) {
    std::vector<Json> long_ones;
    for (Index n = 64; n <= (arguments.quick ? 64 : 8192); n *= 2) {
      const Json row = measure_apart([&] { return measure_core(name, pattern, n); });
      table.row(row);
      if (n >= settled) {
        long_ones.push_back(row);
      }
    }
    if (!long_ones.empty()) {
      table.row({{"pattern", name}, {"exponent", exponent(long_ones)}});
    }
  }
}

}  // namespace

const Command overhead_bench(70, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "overhead",
      "What an op costs beside its arithmetic: its record, its closure and its backward pass, on "
      "1 x 1 matrices, one after the other on one thread",
      run_overhead_bench);
  command.add_option("--seconds", arguments.seconds, "Time for one row");
});

const Command scaling_bench(40, [](CLI::App& program) {
  const auto [command, arguments] =
      add_bench(program, "scaling", "The attention core over the sequence length, by pattern",
                run_scaling_bench);
  command.add_flag("--quick", arguments.quick, "Only the smallest case of each");
});

}  // namespace tapehead
