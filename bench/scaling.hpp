// tapehead_bench scaling: how time grows with threads, sequence length, beam width and vocabulary.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

namespace tapehead {

void add_scaling_bench(CLI::App& program);

// Each prints rows of its own. `quick` leaves out all but the smallest cases.
struct ScalingOptions {
  std::vector<std::filesystem::path> configs{"configs/copy.yaml", "configs/reverse.yaml"};  // bits
  bool quick = false;
  bool json = false;
};
void scale_threads(const ScalingOptions& options);  // throws where the bits differ
void scale_bits(const ScalingOptions& options);     // likewise
void scale_attention(const ScalingOptions& options);
void scale_beam(const ScalingOptions& options);
void scale_vocabulary(const ScalingOptions& options);

}  // namespace tapehead
