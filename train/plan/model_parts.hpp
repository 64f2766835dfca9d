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
  Index activations = 0;                      // bytes after a forward pass (measure_activations)
};

// In the order in which a pass runs them. Successive equal layers form one part.
std::vector<ModelPart> model_parts(const Transformer& model, const ParameterStore& store,
                                   const StepRows& rows);

// The number of the part to which a module or a parameter belongs, by the innermost scope. A path
// in no scope, such as the loss, belongs to the last part, the output.
std::size_t part_of(const std::vector<ModelPart>& parts, std::string_view path);

// The number of the epoch's batch with the most rows of source, target and memory.
std::size_t largest_batch(const TrainingEpoch& epoch);

// Measures the activations of each part of the model: its bytes after a forward pass on the largest
// part of the batch's shards. Call it while no other thread uses the pool.
void measure_activations(std::vector<ModelPart>& parts, const Model& model, const Config& config,
                         const Batch& batch);

}}  // namespace tapehead::TAPEHEAD_PRECISION
