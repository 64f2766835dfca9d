// The table at the start of a training: what will be trained, on what, and how.
#pragma once

#include <string>

#include "core/blas_kernels.hpp"
#include "core/parameters.hpp"
#include "datasets/task.hpp"
#include "train/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct StartFacts {
  const Config& config;
  const Task& task;
  const ParameterStore& store;
  const BlasInfo& blas;
  Index threads;
  Index steps_per_epoch;
  std::string run;
};
std::string start_table(const StartFacts& facts);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
