// Loads the initial weights of a training if `model.init_from` names another run.
#pragma once

#include "datasets/task.hpp"
#include "train/experiment.hpp"
#include "train/options/options.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Loads the best weights of the run (if there are none, the average or the last), and returns a
// text that says what was loaded. If the tokenizers differ, rows of embeddings and output are
// copied for entries with the same text, and the other rows stay as they are. Throws IoError if the
// run or its weights do not exist; if weights mean something else in this model (all options matter
// except dropout and initialisation); and if the vocabularies of a side have nothing in common.
std::string load_initial_weights(const Config& config, const Tokenizers& tokenizers, Model& model);

// The same, but without keeping the weights. Does nothing if the config does not start from a run.
void check_initial_weights(const Config& config, const Task& task);

}}  // namespace tapehead::TAPEHEAD_PRECISION
