// What a sweep reads and writes, so that it writes nothing that it reads.
#pragma once

#include <filesystem>

#include "core/files/input_files.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// What a page about the sweep is made of: its files, and those of its runs.
InputFiles inputs_of_sweep(const std::filesystem::path& directory);

// What the sweep of a file reads: the file, its config, and what the trainings read.
InputFiles inputs_of_sweep(const std::filesystem::path& file, const SweepPlan& plan);

// Throws IoError where the sweep would write one of the inputs into its directory.
void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const std::filesystem::path& directory);

}  // namespace tapehead
