// The config of an imported run: the options of its model, and a task that goes on from it.
#pragma once

#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "train/interchange/architecture.hpp"

namespace tapehead {

// The text that an imported run is evaluated and trained on, and the run whose tokenizers it takes.
struct ImportedTask {
  Purpose purpose = Purpose::tokens;
  std::string text;         // of a source, or with classes
  std::string target_text;  // of a model with two stacks
  std::string run;
  bool stream = false;  // a text follows the end mark of another document
};

// `options`: overrides for the model. `positions`: the longest sequence. Throws ConfigError.
Config imported_config(const ImportedTask& task, const Tokenizers& tokenizers,
                       const std::vector<std::string>& options, Index positions,
                       const std::string& file);

// The classes of theirs, in the order of their numbers. Throws ConfigError.
std::vector<std::string> classes_of(const TheirConfig& config);

}  // namespace tapehead
