// The files that a sweep reads, so that it never overwrites one of them.
#pragma once

#include <filesystem>

#include "core/files/input_files.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// The files from which a page about the sweep is made: its own, and those of its runs.
InputFiles inputs_of_sweep(const std::filesystem::path& directory);

// The files that the sweep of a file reads: the file, its config, and what the trainings read.
InputFiles inputs_of_sweep(const std::filesystem::path& file, const SweepPlan& plan);

// Throws IoError if the sweep would overwrite one of the inputs with a file in its directory.
void expect_results_apart(const InputFiles& inputs, const SweepPlan& plan,
                          const std::filesystem::path& directory);

}  // namespace tapehead
