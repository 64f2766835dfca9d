// The kernels that are measured, each registered with Google Benchmark by kernel, size and pass.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/step_size.hpp"
#include "core/tape/tape.hpp"

namespace tapehead {

// The arithmetic or, where that is next to nothing, the memory of one call: every input read and
// every output written once.
struct Work {
  double flops = 0;
  double bytes = 0;
};

// The rows of one shard at a size.
Index shard_rows(const StepSize& size);

// `make` gives the call that is then made as often as it takes; the call gives the seconds that
// count. What it works on is made and gone with it, so that only one case holds memory.
using Call = std::function<double()>;
void register_case(const std::string& name, const Work& work, std::function<Call()> make);

// Numbers between -1 and 1 that are not all the same.
Tensor varied_numbers(const Shape& shape);

// An op, forward and backward. `op` makes its result from one Var for each of `inputs`, and may
// take the input over.
struct OpCase {
  std::string name;
  Work forward;
  Work backward{};            // none: it is not worth measuring
  std::vector<Shape> inputs;  // of varied numbers
  std::function<Var(std::vector<Var> inputs)> op;
};
void register_op(const OpCase& subject);

void register_products(const StepSize& size);
void register_attention(const StepSize& size);
void register_row_ops(const StepSize& size);  // norms, activation, dropout, cross-entropy
void register_optimizer(const StepSize& size);

}  // namespace tapehead
