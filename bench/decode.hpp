// tapehead_bench decode: the rate of greedy and beam search.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_decode_bench(CLI::App& program);

}  // namespace tapehead
