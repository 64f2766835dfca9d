// The table at the start of a training: what is trained, on what data, and how; and on which
// parameters weight decay acts.
#pragma once

#include <string>

#include "core/kernel/cpu.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/tape/parameters.hpp"
#include "datasets/task.hpp"
#include "train/options/options.hpp"
#include "train/plan/parts_table.hpp"
#include "train/plan/run_plan.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct StartFacts {
  const Config& config;
  const Task& task;
  const ParameterStore& store;
  const BlasInfo& blas;
  ThreadCount threads;   // of this process
  std::string exchange;  // RunSink::row()
  RunPlan run_plan;
  std::string run;
  PartsFacts parts;
};
std::string start_table(const StartFacts& facts);

// "0.1 on 25600 weights, 352 embeddings; not on 448 gains, 928 biases": the numbers of parameters
// of each group that the model has.
std::string decay_text(const ParameterStore& store, const TrainingOptions& options);

}}  // namespace tapehead::TAPEHEAD_PRECISION
