// The config of an imported run: the options of its model, and a task that goes on from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/architecture.hpp"
#include "interchange/tokenizers/marks.hpp"

namespace tapehead {

// The text that an imported run is evaluated and trained on, and the run whose tokenizers it takes.
struct ImportedTask {
  Purpose purpose = Purpose::tokens;
  std::string text;         // of a source, or with classes
  Index texts = 1;          // of an example with a class
  std::string target_text;  // of pairs
  std::string run;
  std::optional<AddedMarks> added{};  // to a text
};

// The options of the model, as overrides, and the settings that they are made of.
struct ImportedOptions {
  const Architecture& architecture;
  const TheirConfig& theirs;
  const std::vector<std::string>& options;
};

// `positions`: the longest sequence. Throws ConfigError that names their settings.
Config imported_config(const ImportedTask& task, const Tokenizers& tokenizers,
                       const ImportedOptions& model, Index positions);

// The labels of theirs in the order of their numbers, and those of a model of classes, which are
// checked. Both throw ConfigError.
std::vector<std::string> label_names(const TheirConfig& config);
std::vector<std::string> classes_of(const TheirConfig& config);

}  // namespace tapehead
