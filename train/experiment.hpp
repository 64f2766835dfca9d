// An experiment: what a config makes, ready to be trained or used: data, parameters and the model
// over them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "core/files/tensor_file.hpp"
#include "datasets/task.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/options/options.hpp"
#include "train/run/data.hpp"
#include "train/run/files.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Drawn from the config's seed, or zeros where all weights are about to be loaded: drawing them
// takes longer than anything else at a start.
enum class FirstWeights { drawn, zeros };

// A model with its parameters. The config must be resolved. `scope`: where in the tree of names it
// is; its names address its draws and first weights.
struct Model {
  // With the weights of a file, whose shapes are compared before any memory is taken. Throws
  // IoError.
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        const TensorFile& weights);

  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        FirstWeights first = FirstWeights::drawn, std::string_view scope = {})
      : transformer(store.root() / scope, config.model, source_vocabulary, target_vocabulary) {
    if (first == FirstWeights::drawn) {
      store.initialize(config.seed);
    } else {
      store.set_to_zeros();
    }
  }

  ParameterStore store;
  Transformer transformer;
};

// What is read of a run before its model is made.
struct OpenedRun {
  std::filesystem::path directory;
  Config config;
  Tokenizers tokenizers;
  TensorFile weights;
};

// A run that has been trained: its config, its tokenizers, and the model with the weights of one of
// its checkpoints.
struct SavedRun {
  // `checkpoint`: "best", "last", "average", or a file; empty: the average where there is one, else
  // the best, else the last. Throws IoError for what is missing or does not hold, and names what
  // else there is.
  explicit SavedRun(const std::filesystem::path& directory, const std::string& checkpoint = "");

  // Its data, made again from the files where find_run_data finds them. Throws what that and
  // make_task throw, and IoError where the data is not what the checkpoint was trained on, unless
  // the choice allows that; then it warns.
  Task task(const DataChoice& choice = {}) const;

  // What the action gives. A NumericError that it throws names the checkpoint: weights that are
  // finite can still be so large that what they give is not.
  template <class Action>
  auto use(const Action& action) const {
    try {
      return action();
    } catch (const NumericError& error) {
      throw NumericError(checkpoint.string() + ": " + error.what());
    }
  }

  std::filesystem::path directory;
  Config config;
  Tokenizers tokenizers;
  Model model;
  std::filesystem::path checkpoint;
  std::string data;  // fingerprint of what the checkpoint was trained on

 private:
  explicit SavedRun(const OpenedRun& run);
};

// The file of a run's "best", "last" or "average" checkpoint, or, for empty and for files, as
// `SavedRun` says. It may not be there.
std::filesystem::path find_checkpoint(const RunFiles& files, const std::string& wanted);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
