#include "predict/run_ensemble.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "core/text.hpp"
#include "datasets/text/text_front.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// What a language model reads in front of a text, in words.
std::string_view front_of(const SavedRun& run) {
  return TextFront(run.config.task.as<TextOptions>(), *run.tokenizers.source, has_one_document(run))
      .in_words();
}

// Empty if the runs go together.
std::string difference(const SavedRun& a, const SavedRun& b) {
  const bool continues = use_of(a.config).continues();
  if (continues != use_of(b.config).continues()) {
    return "one of them is a language model and the other is not";
  }
  for (const auto side : {&Tokenizers::source, &Tokenizers::target}) {
    if (tokenizer_digest(*(a.tokenizers.*side)) != tokenizer_digest(*(b.tokenizers.*side))) {
      return fmt::format(
          "their {}tokenizers differ, so their probabilities are of different tokens",
          continues                     ? ""
          : side == &Tokenizers::source ? "source "
                                        : "target ");
    }
  }
  if (continues && front_of(a) != front_of(b)) {
    return fmt::format("in front of a text the first reads {}, and the other {}", front_of(a),
                       front_of(b));
  }
  return "";
}

}  // namespace

RunEnsemble::RunEnsemble(std::vector<const SavedRun*> runs) : runs_(std::move(runs)) {
  for (const SavedRun* run : runs_) {
    if (runs_.size() > 1 && !use_of(run->config).writes) {
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
  const auto context = [](const SavedRun* run) { return context_of(run->config); };
  return std::ranges::min(runs_ | std::views::transform(context));
}

Index RunEnsemble::memory() const {
  const auto memory = [](const SavedRun* run) { return run->config.evaluation.memory.value_or(0); };
  return std::ranges::min(runs_ | std::views::transform(memory));
}

std::string RunEnsemble::checkpoints() const {
  const auto name = [](const SavedRun* run) { return run->checkpoint.string(); };
  return join(runs_ | std::views::transform(name), " or ");
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
