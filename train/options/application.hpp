// What a trained model is used for, and with which command of the program.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

namespace tapehead {

enum class Application { translate, generate, fill, classify };

constexpr std::string_view command_of(Application application) {
  constexpr std::array<std::string_view, 4> commands{"translate", "generate", "fill", "classify"};
  return commands[static_cast<std::size_t>(application)];
}

inline Application application_of(const Config& config) {
  switch (config.task.kind().examples) {
    case ExampleKind::labels:
      return Application::classify;
    case ExampleKind::text:
      return config.model.family == Family::encoder ? Application::fill : Application::generate;
    default:
      return Application::translate;
  }
}

// Throws ConfigError that names the command for this run, unless it is this one. `run`: its
// directory.
void expect_used_with(const Config& config, const std::string& run, Application application);

// Throws ConfigError for a model that cannot write token by token.
void expect_writes(const Config& config, const std::string& run);

// Tokens that no model writes, however likely they are: the unknown mark, which stands for no text
// that could be read again, and the begin mark. `one_document`: all that a language model was
// trained on; then its end mark, too, which it has hardly learnt. A mask is no label of any model.
std::vector<TokenId> never_written(bool one_document);

// Whether its outputs are labels, which one pass gives, rather than texts that it writes token by
// token.
inline bool labels_in_one_pass(const Config& config) {
  return config.model.family == Family::encoder || config.task.kind().of_classes();
}

}  // namespace tapehead
