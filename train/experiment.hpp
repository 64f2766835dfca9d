// An experiment is the data, parameters and model that a config describes, for training or use.
#pragma once

#include "core/files/tensor_file.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/run/data.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Initial weights: drawn from the config's seed, which takes long, or zeros if all will be loaded.
enum class FirstWeights { drawn, zeros };

// How evaluations cut a text: tokens per window, and the distance from one window's start to the
// next. 0: the config's value. If only `context` is given, windows do not overlap.
struct EvaluationWindows {
  Index context = 0;
  Index stride = 0;
};

// The task of a config, as its model reads it. `data` has the paths of the files. `run`: the
// directory with the saved tokenizers (see TaskMaking).
Task make_task(const Config& config, const TaskOptions& data, const fs::path& run = {},
               const EvaluationWindows& windows = {});

// The vocabularies that a model reads and predicts, from the sizes of a task's tokenizers. A single
// stack reads the source's entries; if it predicts masked tokens, the mask is one more entry.
Vocabularies vocabularies_of(const Config& config, Index source_vocabulary,
                             Index target_vocabulary);

// A model with its parameters. The config must be resolved. `scope`: a prefix of the parameter
// names, which address random draws and initial weights.
struct Model {
  Model(const Config& config, const Vocabularies& vocabularies, FirstWeights first,
        std::string_view scope = {});
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        FirstWeights first = FirstWeights::drawn, std::string_view scope = {})
      : Model(config, vocabularies_of(config, source_vocabulary, target_vocabulary), first, scope) {
  }
  Model(const Config& config, const Task& task, FirstWeights first = FirstWeights::drawn)
      : Model(config, task.source_tokenizer->size(), task.target_tokenizer->size(), first) {}

  // Loads the weights of a file. Compares shapes before it allocates memory. Throws IoError.
  Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
        const TensorFile& weights);

  ParameterStore store;
  Transformer transformer;
};

// The parts of a run that are read before its model is created.
struct OpenedRun {
  fs::path directory;
  Config config;
  Tokenizers tokenizers;
  TensorFile weights;
};

// Returns the result of `action`. If it throws NumericError, puts `place` in front of the message.
auto naming(const std::string& place, const auto& action) {
  try {
    return action();
  } catch (const NumericError& error) {
    throw NumericError(place + ": " + error.what());
  }
}

// A trained run: its config, its tokenizers, and the model with the weights of a checkpoint.
struct SavedRun {
  // `checkpoint`: "best", "last", "average", or a file. Empty: the average if there is one,
  // otherwise the best, otherwise the last. Throws IoError that names the existing checkpoints if
  // it is missing or invalid. `pattern` replaces the pattern of every self-attention, which needs
  // no other weights; throws ConfigError if it does not fit the model.
  explicit SavedRun(const fs::path& directory, const std::string& checkpoint = "",
                    const std::optional<AttentionPattern>& pattern = {});

  // Reads the run's data again. Throws what find_run_data and make_task throw, and IoError if the
  // checkpoint was trained on other data; if `choice` allows other data, it only warns.
  Task task(const DataChoice& choice = {}, const EvaluationWindows& windows = {}) const;

  // naming() the checkpoint, because finite weights can be too large for finite results.
  auto use(const auto& action) const { return naming(checkpoint.string(), action); }

  fs::path directory;
  Config config;
  Tokenizers tokenizers;
  Model model;
  fs::path checkpoint;
  std::string data;  // fingerprint of the data that the checkpoint was trained on

 private:
  explicit SavedRun(const OpenedRun& run);
};

// Whether the run's language model was trained on a text that is a single document; false for
// imported weights, whose text is unknown. Throws IoError if the run has lost its text.
bool has_one_document(const SavedRun& run);

}}  // namespace tapehead::TAPEHEAD_PRECISION
