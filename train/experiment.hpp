// An experiment is what a config describes, ready for training or use: data, parameters and model.
#pragma once

#include "core/files/tensor_file.hpp"
#include "datasets/task.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/options/options.hpp"
#include "train/run/data.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Drawn from the config's seed, which takes long; or zeros, if all weights will be loaded.
enum class FirstWeights { drawn, zeros };

// How a text is cut for an evaluation: tokens of a window, and how far it begins after the one
// before. 0: as the config says; of a context that is given here, windows do not overlap.
struct EvaluationWindows {
  Index context = 0;
  Index stride = 0;
};

// The task of a config, with `data` for its files, as the config's model reads it. `run`: the
// directory that keeps its tokenizers (TaskMaking).
Task make_task(const Config& config, const TaskOptions& data, const std::filesystem::path& run = {},
               const EvaluationWindows& windows = {});

// What a model reads and predicts, by the sizes of a task's tokenizers. A single stack reads the
// source's entries; if it predicts masked tokens, there is one more entry, the mask.
Vocabularies vocabularies_of(const Config& config, Index source_vocabulary,
                             Index target_vocabulary);

// A model with its parameters. The config must be resolved. `scope`: its place in the tree of
// names; its names address its random draws and initial weights.
struct Model {
  Model(const Config& config, const Vocabularies& vocabularies, FirstWeights first,
        std::string_view scope = {});
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        FirstWeights first = FirstWeights::drawn, std::string_view scope = {})
      : Model(config, vocabularies_of(config, source_vocabulary, target_vocabulary), first, scope) {
  }
  Model(const Config& config, const Task& task, FirstWeights first = FirstWeights::drawn)
      : Model(config, task.source_tokenizer->size(), task.target_tokenizer->size(), first) {}

  // With the weights of a file. Compares their shapes before it allocates memory. Throws IoError.
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        const TensorFile& weights);

  ParameterStore store;
  Transformer transformer;
};

// The parts of a run that are read before its model is made.
struct OpenedRun {
  std::filesystem::path directory;
  Config config;
  Tokenizers tokenizers;
  TensorFile weights;
};

// A trained run: its config, its tokenizers, and the model with the weights of a checkpoint.
struct SavedRun {
  // `checkpoint`: "best", "last", "average", or a file. Empty: the average if there is one,
  // otherwise the best, otherwise the last. Throws IoError if it is missing or invalid; the message
  // names the checkpoints that exist. `pattern`: of every self-attention, other than the run was
  // trained with, since it needs no other weights. Throws ConfigError if it does not fit the model.
  explicit SavedRun(const std::filesystem::path& directory, const std::string& checkpoint = "",
                    const std::optional<AttentionPattern>& pattern = {});

  // The data of the run, read again. Throws what find_run_data and make_task throw, and IoError if
  // the checkpoint was trained on other data; if the choice allows that, it only warns.
  Task task(const DataChoice& choice = {}, const EvaluationWindows& windows = {}) const;

  // The result of the action. If it throws NumericError, the message names the checkpoint: finite
  // weights can be so large that results are not finite.
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
  std::string data;  // fingerprint of the data that the checkpoint was trained on

 private:
  explicit SavedRun(const OpenedRun& run);
};

// Whether a language model predicts each next token of a text that is only one document; false for
// imported weights, of which it is not known. Throws IoError if the run has lost its text.
bool has_one_document(const SavedRun& run);

// The file of a checkpoint, named as `SavedRun` takes it. It may not exist.
std::filesystem::path find_checkpoint(const RunFiles& files, const std::string& wanted);

}}  // namespace tapehead::TAPEHEAD_PRECISION
