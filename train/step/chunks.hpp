// The chunks in which an optimiser goes through the parameters, and the slices of them that ranks
// own.
#pragma once

#include <vector>

#include "train/options/options.hpp"
#include "train/step/slices.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Some numbers of one block: few enough for the caches, and for distribution over the workers.
struct Chunk {
  BlockRange range;
  Scalar weight_decay;
  bool in_matrix;   // updated with the whole matrix
  Scalar rate = 1;  // factor on the learning rate
};

struct Chunks {
  std::vector<Chunk> all;            // in the order of the store's memory
  std::vector<Slice> slices;         // of each rank
  std::vector<Index> first_of_rank;  // the first chunk in each slice, then the number of all
};

// A block with parameters that are updated as a whole is in one slice: a chunk, whose squares are
// one sum, may have numbers of two of them.
Chunks chunks_of(const ParameterStore& store, const TrainingOptions& options, Index ranks);

}}  // namespace tapehead::TAPEHEAD_PRECISION
