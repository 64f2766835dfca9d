// tapehead_bench generate: the rate at which a language model writes.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_generate_bench(CLI::App& program);

}  // namespace tapehead
