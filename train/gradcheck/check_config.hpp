// The gradient check of the model of a config, on a batch of its own data.
#pragma once

#include "core/gradcheck/model/model.hpp"
#include "core/sequence/batch.hpp"
#include "datasets/layout.hpp"
#include "datasets/task.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Training examples of different lengths, in their order, up to about `tokens` on each side.
Batch small_batch(const Source& source, Index tokens);

// A small batch of the training split, as the config's model reads it.
Batch batch_to_check(const Config& config, const Task& task, Index tokens);

// Checks the gradients of the loss that the config trains, with its dropout, label smoothing and
// shards. The parameters are moved a little from their initial values, because with gains of 1 and
// biases of 0 some mistakes do not show. Parameters on which the loss does not depend, since only
// attentions without heads would use them, are left out. The config must be resolved.
ModelGradcheckReport check_config(const Config& config, const Task& task, const Batch& batch,
                                  const ModelGradcheckOptions& options);

// The same for an existing model, whose parameters are moved.
ModelGradcheckReport check_model(Model& model, const Config& config, const Batch& batch,
                                 const ModelGradcheckOptions& options);

// The report as text: a table with a row for each parameter, then the findings.
std::string gradcheck_table(const ModelGradcheckReport& report);

}}  // namespace tapehead::TAPEHEAD_PRECISION
