// The config of an imported run: the options of its model, and a task that goes on from it.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/architecture.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"
#include "train/config/config.hpp"

namespace tapehead {

struct ImportRequest {
  std::filesystem::path from;
  std::filesystem::path run;  // whose tokenizer a training that goes on from it takes
  // Of what is evaluated and trained on: task.train_text; with classes task.train_tsv; with a
  // source and a target task.train_source and task.train_target.
  std::string text = "text.txt";
  std::string target_text = "target.txt";
  Index texts = 1;               // of an example with a class
  std::optional<Index> begin{};  // the id of the begin mark there, instead of what the files say
  bool token_texts = false;      // do not read the tokenizer: a text is given as its tokens
};

// The task of an imported run.
struct ImportedTask {
  const ImportRequest& request;
  Purpose purpose;
  std::optional<AddedMarks> added;  // to a text
};

// The options of the model, as overrides, and the settings that they are made of.
struct ImportedOptions {
  const Architecture& architecture;
  const TheirConfig& theirs;
  const std::vector<std::string>& options;
};

// `positions`: the longest sequence. Throws ConfigError that names their settings.
LoadedConfig imported_config(const ImportedTask& task, const Tokenizers& tokenizers,
                             const ImportedOptions& model, Index positions);

// The family that these overrides set.
const FamilyTraits& family_of(const std::vector<std::string>& options);

// The labels of theirs in the order of their numbers, and those of a model of classes, which are
// checked. Both throw ConfigError.
std::vector<std::string> label_names(const TheirConfig& config);
std::vector<std::string> classes_of(const TheirConfig& config);

}  // namespace tapehead
