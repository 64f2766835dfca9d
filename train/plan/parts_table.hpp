// The table of a model's parts: the parameters, arithmetic and memory of each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "train/options/options.hpp"
#include "train/plan/model_parts.hpp"

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
  const TrainingOptions& training;  // resolved
  const std::vector<std::size_t>&
      activations;  // bytes of each part, in one shard; see activations.hpp
  Index threads;
};

// "4.3k", or "4.3k, 1.2k trained" where a training freezes some.
std::string parameters_text(Index parameters, Index trained);

PartCost cost_of(const PartsFacts& facts, std::size_t part);
PartCost total_cost(const PartsFacts& facts);

std::string parts_table(const PartsFacts& facts);

}}  // namespace tapehead::TAPEHEAD_PRECISION
