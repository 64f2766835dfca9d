// An experiment: what a config makes, ready to be trained or used: data, parameters and the model
// over them.
#pragma once

#include <filesystem>
#include <string>

#include "datasets/task.hpp"
#include "nn/transformer.hpp"
#include "train/options.hpp"
#include "train/run/run_data.hpp"
#include "train/run/run_files.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Drawn from the config's seed, or zeros where all weights are about to be loaded: drawing them
// takes longer than anything else at a start.
enum class FirstWeights { drawn, zeros };

// A model with its parameters. The config must be resolved.
struct Model {
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        FirstWeights first = FirstWeights::drawn)
      : transformer(store.root(), config.model, source_vocabulary, target_vocabulary) {
    if (first == FirstWeights::drawn) {
      store.initialize(config.seed);
    } else {
      store.set_to_zeros();
    }
  }

  ParameterStore store;
  Transformer transformer;
};

// A run that has been trained: its config, its tokenizers, and the model with the weights of one of
// its checkpoints.
struct SavedRun {
  // `checkpoint`: "best", "last", "average", or a file; empty: the average where there is one, else
  // the best, else the last. Throws IoError for what is missing or does not hold, and names what
  // else there is.
  SavedRun(const std::filesystem::path& directory, const std::string& checkpoint);

  // Its data, made again from the files where find_run_data finds them. Throws what that and
  // make_task throw, and IoError where the data is not what the checkpoint was trained on, unless
  // the choice allows that; then it warns.
  Task task(const DataChoice& choice = {}) const;

  std::filesystem::path directory;
  Config config;
  Tokenizers tokenizers;
  Model model;
  std::filesystem::path checkpoint;
  std::string data;  // fingerprint of what the checkpoint was trained on
};

// The file of a run's "best", "last" or "average" checkpoint, or, for empty and for files, as
// `SavedRun` says. It may not be there.
std::filesystem::path find_checkpoint(const RunFiles& files, const std::string& wanted);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
