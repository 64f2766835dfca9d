// The gradient check of the model that a config describes, on a batch of its own data.
#pragma once

#include <string>

#include "core/gradcheck/model/model.hpp"
#include "core/sequence/batch.hpp"
#include "datasets/task.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Training examples of unlike lengths, as they come, up to about `tokens` on each side.
Batch small_batch(const Split& split, Index tokens);

// The gradients of the loss as the config trains it, with its dropout, label smoothing and shards,
// for parameters that are moved a little from where they start: at gains of 1 and biases of 0 some
// mistakes do not show. Parameters that only attentions without heads would use, which the loss
// does not depend on, are left out. The config must be resolved.
ModelGradcheckReport check_config(const Config& config, const Task& task, const Batch& batch,
                                  const ModelGradcheckOptions& options);

// The same of a model that is there, whose parameters are moved.
ModelGradcheckReport check_model(Model& model, const Config& config, const Batch& batch,
                                 const ModelGradcheckOptions& options);

// The report for a person: a table with a row for each parameter, then what was found.
std::string gradcheck_table(const ModelGradcheckReport& report);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
