// The weights that a training starts from when `model.init_from` names another run.
#pragma once

#include <string>

#include "datasets/task.hpp"
#include "train/experiment.hpp"
#include "train/options/options.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Loads the best weights of the run, else the average or the last, and says in words what was
// loaded. Where the tokenizers differ, rows of embeddings and output are taken over by the text of
// their entries, and the others stay as they are. Throws IoError when the run or its weights are
// not there, when weights mean something else in this model (all options matter but dropout and
// initialisation), and when the vocabularies of a side have nothing in common.
std::string load_initial_weights(const Config& config, const Tokenizers& tokenizers, Model& model);

// The same without keeping them; nothing where the config starts from no run.
void check_initial_weights(const Config& config, const Task& task);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
