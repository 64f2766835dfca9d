// A command's output is none of its inputs: asked before any long work.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/files/input_files.hpp"
#include "train/experiment.hpp"
#include "train/loop/run_inputs.hpp"

namespace tapehead {

// What a command reads that uses a run with the checkpoint that `--checkpoint` says.
inline InputFiles inputs_of_run(const std::filesystem::path& run, const std::string& checkpoint,
                                const DataChoice& data = {}) {
  InputFiles inputs = inputs_of_run(run, data);
  inputs.add(find_checkpoint(RunFiles{run}, checkpoint));
  return inputs;
}

// Throws IoError where standard output has been redirected into one of the inputs.
inline void expect_output_apart(const InputFiles& inputs) {
  inputs.expect_other(STDOUT_FILENO, "standard output");
}

}  // namespace tapehead
