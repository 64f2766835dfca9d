// tapehead_bench step: the time of whole training steps.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_step_bench(CLI::App& program);

}  // namespace tapehead
