// The tables at the start of a training: what is trained, on what data, and how, and on which
// parameters weight decay acts; the parameters, arithmetic and memory of each part of the model.
#pragma once

#include "core/kernel/cpu.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/tape/parameters.hpp"
#include "datasets/task.hpp"
#include "train/options/options.hpp"
#include "train/plan/model_parts.hpp"
#include "train/plan/run_plan.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The cost of one part, or of all.
struct PartCost {
  Index parameters = 0;
  Index trained = 0;
  double multiply_adds = 0;
  // Bytes of its parameters and, for those that are trained, of the optimiser's state and a
  // gradient for each shard: needed all the time.
  double weight_bytes = 0;
  // Bytes that forward passes keep for the backward pass, for as many shards as are computed in
  // parallel.
  double activation_bytes = 0;
};

struct PartsFacts {
  const std::vector<ModelPart>& parts;
  const TrainingOptions& training;              // resolved
  const std::vector<std::size_t>& activations;  // bytes of each part (activations_of())
  Index threads;
};

PartCost cost_of(const PartsFacts& facts, std::size_t part);
PartCost total_cost(const PartsFacts& facts);

std::string parts_table(const PartsFacts& facts);

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
