// The config of an imported run: its model's options, and a task with which training can continue.
#pragma once

#include "interchange/architecture.hpp"
#include "train/config/config.hpp"

namespace tapehead {

struct ImportRequest {
  fs::path from;
  fs::path run;  // the imported run, whose tokenizer a continued training uses
  // The data for evaluation and training: task.train_text; for classes task.train_tsv; for pairs
  // task.train_source and task.train_target.
  std::string text = "text.txt";
  std::string target_text = "target.txt";
  Index texts = 1;               // texts per example of a model with classes
  std::optional<Index> begin{};  // their id of the begin mark; overrides their files
  bool token_texts = false;      // texts are given as tokens; no tokenizer is read
};

// What decides the config of an imported run.
struct ImportedModel {
  const ImportRequest& request;
  Purpose purpose;
  std::optional<AddedMarks> added;  // that their tokenizer adds to a text
  const TheirConfig& theirs;
  const std::vector<std::string>& options;  // the model's, as overrides; they come from `theirs`
  Index positions;                          // the longest sequence
};

// Throws ConfigError that names the settings of `theirs`.
LoadedConfig imported_config(const ImportedModel& model, const Tokenizers& tokenizers);

// The family that the overrides `options` set.
const FamilyTraits& family_of(const std::vector<std::string>& options);

// Their labels in the order of their ids. `classes_of` also checks that we support them as classes.
// Both throw ConfigError.
std::vector<std::string> label_names(const TheirConfig& config);
std::vector<std::string> classes_of(const TheirConfig& config);

}  // namespace tapehead
