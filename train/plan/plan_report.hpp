// The tables at the start of a training: its settings, its weight decay, and the cost of each part
// of the model. Also the estimates of `plan`, as a table and as JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/tape/parameters.hpp"
#include "train/plan/rehearsal.hpp"

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
  const std::vector<ModelPart>& parts;
};
std::string start_table(const StartFacts& facts);

// "0.1 on 25600 weights, 352 embeddings; not on 448 gains, 928 biases": the numbers of parameters
// of each group that the model has.
std::string decay_text(const ParameterStore& store, const TrainingOptions& options);

struct PlanFacts {
  std::string config;  // the file
  const Config& options;
  RunPlan run;
  Index threads;
  const Rehearsal& rehearsal;
};

std::string plan_table(const PlanFacts& facts);
Json plan_json(const PlanFacts& facts);

}}  // namespace tapehead::TAPEHEAD_PRECISION
