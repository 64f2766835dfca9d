// Checks the gradients of a config's model on a batch of the config's data.
#pragma once

#include "core/gradcheck/model/model.hpp"
#include "core/sequence/batch.hpp"
#include "datasets/layout.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The first training examples that together have about `tokens` on each side.
Batch small_batch(const Source& source, Index tokens);

// A small batch of the training split in the format that the config's model reads.
Batch batch_to_check(const Config& config, const Task& task, Index tokens);

// Checks the gradients of the loss that the config of the model trains, with its dropout, label
// smoothing and shards. Moves the parameters a little from their values, because gains of 1 and
// biases of 0 hide some mistakes. Skips parameters that only attentions without heads would use:
// the loss does not depend on them. The config must be resolved.
ModelGradcheckReport check_model(Model& model, const Config& config, const Batch& batch,
                                 const ModelGradcheckOptions& options);

// The report as text: a table with one row per parameter, then the findings.
std::string gradcheck_table(const ModelGradcheckReport& report);

}}  // namespace tapehead::TAPEHEAD_PRECISION
