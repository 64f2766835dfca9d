// Step checkpoints of several ranks: rank 0 alone writes and reads them.
#pragma once

#include "core/ranks/ranks.hpp"
#include "train/run/checkpoint.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The bytes of an entry of a checkpoint: what the optimiser keeps comes to rank 0 tensor by tensor,
// while the file is written. All ranks call it for all entries, in_file_order().
EntryBytes entry_bytes(const TrainingState& state, Ranks& ranks);

// Gives all ranks what rank 0 has loaded: the weights, the memory, the position, and of
// `checkpoint`, which only rank 0 has, the optimiser's numbers. Null: those of the start.
void share_training(const TensorFile* checkpoint, const TrainingState& state,
                    TrainingPosition& position, Ranks& ranks);

// Gives all ranks the weights of rank 0.
void share_weights(ParameterStore& store, Ranks& ranks);

// Throws RankError that names the ranks whose weights differ from those of rank 0.
void expect_same_weights(const ParameterStore& store, Index step, Ranks& ranks);

}}  // namespace tapehead::TAPEHEAD_PRECISION
