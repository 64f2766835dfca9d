// What the model of a run reads of a text that a user gives.
#pragma once

#include <optional>
#include <string>

#include "core/kernel/workers.hpp"
#include "core/sequence/batch.hpp"
#include "nn/generation/ensemble.hpp"
#include "predict/reader.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TextBatch {
  Batch batch;              // one sequence, in the model's layout
  std::string target{};     // empty for running text
  LineRead read;            // the text, and the target's tokens
  bool generated = false;   // the target is the model's own
  bool unfinished = false;  // and is cut, because it had not ended at its greatest length
};

// The text as a source, with `target` behind it; without one, with the output of `model`, the run's
// or one like it: what it writes, as far as the positions of the model reach, its label for each
// token, or its class. Running text has no target: a causal model reads it as a document, and a
// masked one with a mask for each `mask_in_text`. Throws DataError for a text without a known
// token, for a text or target of more tokens than the model has positions, and for a class that
// does not exist; ConfigError for a target of running text.
TextBatch read_text(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                    const std::optional<std::string>& target, Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
