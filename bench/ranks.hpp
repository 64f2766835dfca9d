// tapehead_bench ranks: training steps of several ranks, beside one process with as many threads.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_ranks_bench(CLI::App& program);

}  // namespace tapehead
