// tapehead_bench overhead: what an op costs beside its arithmetic.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_overhead_bench(CLI::App& program);

}  // namespace tapehead
