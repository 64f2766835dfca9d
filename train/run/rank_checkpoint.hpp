// Checkpoints of several ranks. Rank 0 alone reads and writes the file.
#pragma once

#include "core/ranks/ranks.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A function that returns an entry's bytes. Rank 0 receives optimiser state tensor by tensor, while
// it writes the file. All ranks must call it for all entries, in_file_order().
EntryBytes entry_bytes(const TrainingState& state, Ranks& ranks);

// Gives all ranks what rank 0 has loaded: weights, memory, position, and the optimiser state in
// `checkpoint`, which is null on other ranks and at the start of a training.
void share_training(const TensorFile* checkpoint, const TrainingState& state,
                    TrainingPosition& position, Ranks& ranks);

// Gives all ranks the weights of rank 0.
void share_weights(ParameterStore& store, Ranks& ranks);

// Throws RankError that names the ranks whose weights differ from rank 0's weights.
void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks);

}}  // namespace tapehead::TAPEHEAD_PRECISION
