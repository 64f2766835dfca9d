// The mean of the weights of several checkpoints, which often does better than any of them
// (Izmailov et al. 2018).
#pragma once

#include <filesystem>
#include <vector>

#include "core/files/tensor_file.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Writes to `average` the mean of the weights in `files`, of which there must be some. `store` says
// what the weights are; its own come back. Throws IoError: a file that does not fit, or cannot be
// written.
void write_weight_average(const std::vector<std::filesystem::path>& files, ParameterStore& store,
                          Metadata metadata, const std::filesystem::path& average);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
