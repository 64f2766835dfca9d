// The table at the start of a training: what is trained, on what data, and how.
#pragma once

#include <string>

#include "core/kernel/cpu.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/tape/parameters.hpp"
#include "datasets/task.hpp"
#include "train/plan/parts_table.hpp"
#include "train/plan/run_plan.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct StartFacts {
  const Config& config;
  const Task& task;
  const ParameterStore& store;
  const BlasInfo& blas;
  ThreadCount threads;   // of this process
  std::string exchange;  // ranks_text()
  RunPlan run_plan;
  std::string run;
  PartsFacts parts;
};
std::string start_table(const StartFacts& facts);

}}  // namespace tapehead::TAPEHEAD_PRECISION
