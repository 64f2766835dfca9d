// The mean of the weights of several checkpoints, which often does better than any of them
// (Izmailov et al. 2018).
#pragma once

#include <filesystem>
#include <vector>

#include "core/files/tensor_file.hpp"
#include "core/tape/parameters.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Writes the mean of the weights in `files`, of which there must be at least one, to `average`.
// `store` defines the names and shapes of the weights, and has its own weights again afterwards.
// Throws IoError if a file does not match or cannot be written.
void write_weight_average(const std::vector<std::filesystem::path>& files, ParameterStore& store,
                          Metadata metadata, const std::filesystem::path& average);

}}  // namespace tapehead::TAPEHEAD_PRECISION
