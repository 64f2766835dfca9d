// tapehead_bench kernels: the speed of single kernels at the shapes of the step benchmark.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_kernels_bench(CLI::App& program);

}  // namespace tapehead
