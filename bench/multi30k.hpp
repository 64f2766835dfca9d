// tapehead_bench multi30k: how good the translation of configs/multi30k.yaml is after how long.
#pragma once

#include <CLI/CLI.hpp>

namespace tapehead {

void add_multi30k_bench(CLI::App& program);

}  // namespace tapehead
