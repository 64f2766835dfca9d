#include "train/experiment.hpp"

#include <spdlog/spdlog.h>

#include "datasets/corpus/token_text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "nn/attention/spec.hpp"
#include "train/options/application.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Returns the result of `action`. Adds the other usable checkpoints to the message of an IoError.
auto naming_others(const RunFiles& files, const fs::path& refused, const auto& action) {
  try {
    return action();
  } catch (const IoError& error) {
    std::string names;
    for (const std::string wanted : {"average", "best", "last"}) {
      const auto file = find_checkpoint(files, wanted);
      if (file != refused && fs::exists(file)) {
        names += (names.empty() ? "; try --checkpoint " : " or ") + wanted;
      }
    }
    throw IoError(error.what() + names);
  }
}

void set_pattern(ModelOptions& model, const AttentionPattern& pattern) {
  if (model.prefix == SourceRows::full && !pattern.takes_prefix()) {
    throw ConfigError("{} cannot be combined with a prefix (model.prefix: full)", pattern.text());
  }
  for (const AttentionKind kind : {AttentionKind::encoder_self, AttentionKind::decoder_self}) {
    if (attention_layers(model, kind) > 0) {
      model.settings(kind).pattern.values = {{{pattern}}};
    }
  }
}

OpenedRun open_run(const fs::path& run, const std::string& wanted,
                   const std::optional<AttentionPattern>& pattern) {
  Config config = load_config(find_run(run).config()).config;
  const Tokenizers tokenizers = load_tokenizers(run);
  const fs::path checkpoint = find_checkpoint({run}, wanted);
  return naming_others({run}, checkpoint, [&] {
    if (checkpoint.empty() || !fs::exists(checkpoint)) {
      throw IoError("run {} has no {} checkpoint", run.string(),
                    wanted.empty() ? "finished" : wanted);
    }
    TensorFile weights(checkpoint);
    expect_identity(weights, identity_of(config, tokenizers));
    weights.metadata("data");
    if (pattern) {
      set_pattern(config.model, *pattern);
    }
    return OpenedRun{run, config, tokenizers, std::move(weights)};
  });
}

}  // namespace

Task make_task(const Config& config, const TaskOptions& data, const fs::path& run,
               const EvaluationWindows& windows) {
  const auto stride = windows.context > 0 ? std::nullopt : config.evaluation.stride;
  return make_task(data, {.seed = config.seed,
                          .tokenizers = run,
                          .layout = layout_of(config.model),
                          .context = windows.context,
                          .stride = windows.stride > 0 ? windows.stride : stride.value_or(0)});
}

Vocabularies vocabularies_of(const Config& config, Index source_vocabulary,
                             Index target_vocabulary) {
  Vocabularies entries = vocabularies_of(config.model, source_vocabulary, target_vocabulary);
  entries.input += use_of(config).mask ? 1 : 0;
  return entries;
}

Model::Model(const Config& config, const Vocabularies& vocabularies, FirstWeights first,
             std::string_view scope)
    : store(config.training.freeze), transformer(store.root() / scope, config.model, vocabularies) {
  if (first == FirstWeights::drawn) {
    store.initialize(config.seed);
  } else {
    store.set_to_zeros();
  }
}

Model::Model(const Config& config, Index source_vocabulary, Index target_vocabulary,
             const TensorFile& weights)
    : store(config.training.freeze),
      transformer(store.root(), config.model,
                  vocabularies_of(config, source_vocabulary, target_vocabulary)) {
  expect_shapes(weights, store);
  store.set_to_zeros();
  load_weights(weights, store);
}

SavedRun::SavedRun(const fs::path& run, const std::string& wanted,
                   const std::optional<AttentionPattern>& pattern)
    : SavedRun(open_run(run, wanted, pattern)) {}

SavedRun::SavedRun(const OpenedRun& run)
    : directory(run.directory),
      config(run.config),
      tokenizers(run.tokenizers),
      model(naming_others({run.directory}, run.weights.path(),
                          [&] {
                            return Model(config, tokenizers.source->size(),
                                         tokenizers.target->size(), run.weights);
                          })),
      checkpoint(run.weights.path()),
      data(run.weights.metadata("data")) {}

Task SavedRun::task(const DataChoice& choice, const EvaluationWindows& windows) const {
  Task task =
      make_task(config, find_run_data({directory}, config.task, choice), directory, windows);
  if (task.fingerprint != data) {
    const std::string what =
        fmt::format("{} was trained with other data than {}", checkpoint.string(),
                    choice.directory.empty() ? directory.string() + " has now"
                                             : choice.directory.string() + " holds");
    if (!choice.other) {
      throw IoError("{}; {}use the other data with --other-data", what,
                    why_no_files({directory}, config.task).empty()
                        ? "give the directory of its own data with --data DIR, or "
                        : "");
    }
    spdlog::warn("{}", what);
  }
  return task;
}

bool has_one_document(const SavedRun& run) {
  if (!use_of(run.config).continues()) {
    return false;
  }
  const fs::path file = token_file(run.directory, "train");
  if (has_token_files(run.directory)) {
    return documents_in(file) == 1;
  }
  if (run.data != imported_data) {
    throw IoError(
        "{} is missing, so it is unknown what run {} reads in front of a text; copy the directory "
        "tokens from the run that this run was made from, or make this run again",
        file.string(), run.directory.string());
  }
  return false;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
