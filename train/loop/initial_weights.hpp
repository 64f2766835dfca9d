// Loads the initial weights of a training from another run, if `model.init_from` names one.
#pragma once

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Loads the run's best weights (without these, the average or the last), and returns a text that
// says what was loaded. If the tokenizers differ, copies the embedding and output rows of entries
// with the same text, and leaves the other rows unchanged. Throws IoError if the run or its weights
// do not exist, if the models differ in an option that decides what weights mean (all except
// dropout and initialisation), or if the vocabularies of a side have no common entry.
std::string load_initial_weights(const Config& config, const Tokenizers& tokenizers, Model& model);

// The same checks without loading. Does nothing if `model.init_from` is empty.
void check_initial_weights(const Config& config, const Task& task);

}}  // namespace tapehead::TAPEHEAD_PRECISION
