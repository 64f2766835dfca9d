#include "train/evaluation/run_ensemble.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "datasets/corpus/token_files.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/application.hpp"
#include "train/run/identity.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

bool is_of_text(const SavedRun& run) { return run.config.task.kind().of_text(); }

// What a language model reads in front of a text, in words.
std::string front_of_text(const SavedRun& run) {
  const auto& options = run.config.task.as<TextOptions>();
  return has_one_document(run) || !options.begin_mark ? "nothing"
         : options.stream                             ? "the end of a document"
                                                      : "the begin mark of a document";
}

// Empty if the runs go together.
std::string difference(const SavedRun& a, const SavedRun& b) {
  if (is_of_text(a) != is_of_text(b)) {
    return "one of them is a language model and the other is not";
  }
  for (const auto side : {&Tokenizers::source, &Tokenizers::target}) {
    if (tokenizer_digest(*(a.tokenizers.*side)) != tokenizer_digest(*(b.tokenizers.*side))) {
      return fmt::format(
          "their {}tokenizers differ, so their probabilities are of different tokens",
          is_of_text(a)                 ? ""
          : side == &Tokenizers::source ? "source "
                                        : "target ");
    }
  }
  if (is_of_text(a) && front_of_text(a) != front_of_text(b)) {
    return fmt::format("in front of a text the first reads {}, and the other {}", front_of_text(a),
                       front_of_text(b));
  }
  return "";
}

}  // namespace

RunEnsemble::RunEnsemble(std::vector<const SavedRun*> runs) : runs_(std::move(runs)) {
  for (const SavedRun* run : runs_) {
    if (runs_.size() > 1 && labels_in_one_pass(run->config)) {
      throw ConfigError(
          fmt::format("run {} does not write token by token, so it cannot predict "
                      "together with another",
                      run->directory.string()));
    }
    if (const std::string why = difference(first(), *run); !why.empty()) {
      throw ConfigError(fmt::format("runs {} and {} cannot predict together: {}",
                                    first().directory.string(), run->directory.string(), why));
    }
  }
}

std::vector<EnsembleMember> RunEnsemble::members() const {
  std::vector<EnsembleMember> members;
  for (const SavedRun* run : runs_) {
    members.push_back({.transformer = run->model.transformer, .store = run->model.store});
  }
  return members;
}

Index RunEnsemble::context() const {
  Index least = context_of(first().config);
  for (const SavedRun* run : runs_) {
    least = std::min(least, context_of(run->config));
  }
  return least;
}

Index RunEnsemble::memory() const {
  Index least = first().config.evaluation.memory.value_or(0);
  for (const SavedRun* run : runs_) {
    least = std::min(least, run->config.evaluation.memory.value_or(0));
  }
  return least;
}

std::string RunEnsemble::checkpoints() const {
  std::vector<std::string> names;
  for (const SavedRun* run : runs_) {
    names.push_back(run->checkpoint.string());
  }
  return join(names, " or ");
}

Index context_of(const Config& config) {
  return config.task.kind().of_text() ? config.task.as<TextOptions>().context
                                      : config.model.max_positions;
}

bool has_one_document(const SavedRun& run) {
  if (!is_of_text(run)) {
    return false;
  }
  const std::filesystem::path file = token_file(run.directory, "train");
  if (has_token_files(run.directory)) {
    return documents_in(file) == 1;
  }
  if (run.data != imported_data) {
    throw IoError(fmt::format(
        "there is no {}, without which it is unknown what run {} reads in front of a text; copy "
        "the directory tokens from the run that it was made of, or make it again",
        file.string(), run.directory.string()));
  }
  return false;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
