// Ranks must agree before they train together: only the same program, on the same kind of
// processor, with the same config and the same data, computes the same numbers.
#pragma once

#include <string>

#include "core/product/blas_kernels.hpp"
#include "core/ranks/ranks.hpp"
#include "datasets/task.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// Throws RankError that names a rank which differs from rank 0, and in what.
void expect_same_training(Ranks& ranks, const Config& config, const Task& task,
                          const BlasInfo& blas);

// How they share the work, and how many bytes rank 0 sends at each step; empty for a process alone.
std::string ranks_text(const Ranks& ranks, Index shards, double bytes_sent);

}  // namespace tapehead
