// Makes sure, before any long work, that a command does not overwrite one of its inputs.
#pragma once

#include <unistd.h>

#include "train/experiment.hpp"

namespace tapehead {

// The files that a command reads if it uses a run with this checkpoint.
inline InputFiles inputs_of_run(const fs::path& run, const std::string& checkpoint,
                                const DataChoice& data = {}) {
  InputFiles inputs = inputs_of_run(run, data);
  inputs.add(find_checkpoint(RunFiles{run}, checkpoint));
  return inputs;
}

// Throws IoError if standard output is redirected into one of the inputs.
inline void expect_output_apart(const InputFiles& inputs) {
  inputs.expect_other(STDOUT_FILENO, "standard output");
}

}  // namespace tapehead
