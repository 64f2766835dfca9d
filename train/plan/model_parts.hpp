// The parts of a model and the cost of each part: parameters, the multiply-adds of a training step,
// and the memory for weights and for what a forward pass keeps for the backward pass.
#pragma once

#include "datasets/loader.hpp"
#include "train/experiment.hpp"
#include "train/plan/step_flops.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct ModelPart {
  std::string name;                           // such as "cross-attention, layers 0 to 3"
  std::vector<std::string> scopes{};          // of its modules and parameters
  Index parameters = 0;                       // that no earlier part has
  Index trained = 0;                          // of these, without frozen ones
  Index in_matrices = 0;                      // of the trained ones, in hidden matrices
  double multiply_adds = 0;                   // of matrix products, forward and backward
  std::optional<AttentionParts> attention{};  // the same by kind of work, if it has attentions
};

// In the order in which a pass runs them. Successive equal layers form one part.
std::vector<ModelPart> model_parts(const Transformer& model, const ParameterStore& store,
                                   const StepRows& rows);

// The number of the part to which a module or a parameter belongs, by the innermost scope. A path
// in no scope, such as the loss, belongs to the last part, the output.
std::size_t part_of(const std::vector<ModelPart>& parts, std::string_view path);

// The number of the epoch's batch with the most rows of source, target and memory.
std::size_t largest_batch(const TrainingEpoch& epoch);

// The bytes of each part of the model after a forward pass on the largest part of the batch's
// shards. Call it while no other thread uses the pool.
std::vector<std::size_t> activations_of(const Model& model, const Config& config,
                                        const Batch& batch, const std::vector<ModelPart>& parts);

// The cost of one part, or of all parts.
struct PartCost {
  Index parameters = 0;
  Index trained = 0;
  double multiply_adds = 0;
  // Bytes needed all the time: parameters and, for trained parameters, the optimiser's state and a
  // gradient for each shard.
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
