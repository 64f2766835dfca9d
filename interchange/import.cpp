#include "interchange/import.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "interchange/their_tokenizers.hpp"
#include "interchange/weight_copy.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Returns the number of rows of their embedding that no entry uses. Throws if an id is too large.
Index expect_entries(const VocabularyRows& rows, Index their_entries,
                     const PretrainedFiles& files) {
  std::set<Index> used;
  for (const EntryRows* side : {&rows.source, &rows.target}) {
    for (const std::optional<Index>& row : side->theirs) {
      if (row && *row >= their_entries) {
        throw IoError("{}: the tokenizer has the id {}, and vocab_size is {}",
                      files.config_file().string(), *row, their_entries);
      }
      if (row) {
        used.insert(*row);
      }
    }
  }
  return their_entries - std::ssize(used);
}

// Checks the size before memory is allocated. Our model may have a few more rows and biases.
void expect_size(const PretrainedFiles& files, Index claimed, const std::string& what) {
  constexpr Index few = 1'000'000;
  if (claimed > 2 * files.numbers() + few) {
    throw IoError("{} describes {} {}, but the tensors have only {} numbers",
                  files.config_file().string(), claimed, what, files.numbers());
  }
}

// Counts the parameters without allocating them.
Index parameters_of(const Config& config, const Tokenizers& tokenizers) {
  ParameterStore store;
  const Transformer planned(
      store.root(), config.model,
      vocabularies_of(config, tokenizers.source->size(), tokenizers.target->size()));
  return store.count();
}

void expect_texts_used(const ImportRequest& request, const Imported& imported) {
  if (imported.config.task.find<LabelledTextOptions>() == nullptr &&
      request.texts != ImportRequest{}.texts) {
    throw ConfigError("--texts: only for a model that classifies texts; leave it out");
  }
  if (imported.config.task.find<ParallelTextOptions>() == nullptr &&
      request.target_text != ImportRequest{}.target_text) {
    throw ConfigError("--target-text: a {} model has no targets, only a {} model has; leave it out",
                      imported.model_type, marian_architecture.model_type);
  }
}

// We label the tokens of a text without marks around it (datasets/pairs.cpp).
void expect_no_marks(const TheirConfig& theirs, const fs::path& directory) {
  const auto around = marks_around_text(directory);
  if (!around || !around->before.empty() || !around->behind.empty()) {
    theirs.refuse("architectures",
                  fmt::format("{} labels tokens; in tapehead, a model that labels tokens reads no "
                              "marks around a text; {}",
                              theirs.first_text("architectures"),
                              around ? "tokenizer.json adds marks, so the model cannot be imported"
                                     : "the model needs a tokenizer.json that adds no marks "
                                       "(\"post_processor\": null)"));
  }
}

// The target tokenizer if its entries are the labels, otherwise words, perhaps without our marks.
PretrainedTokenizer label_tokenizer(const TheirConfig& theirs,
                                    const std::shared_ptr<const Tokenizer>& targets) {
  std::vector<Index> ids = mapped(numbers_below(targets->size()), std::identity());
  if (std::ranges::equal(label_names(theirs), ids, {}, {},
                         [&](Index id) { return targets->entry(static_cast<TokenId>(id)); })) {
    return {.tokenizer = targets, .file_ids = std::move(ids)};
  }
  FileVocabulary labels;
  for (const std::string& label : classes_of(theirs)) {
    labels.emplace(label, std::ssize(labels));
  }
  const auto mark = [&](TokenId id) {
    const auto found = labels.find(Vocabulary({}).entry(id));
    return found == labels.end() ? std::nullopt : std::optional(found->second);
  };
  return renumbered(
      labels, {.unknown = mark(unknown_id), .begin = mark(begin_id), .end = mark(end_id)},
      [](std::vector<std::string> entries) {
        return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word);
      });
}

// Our decoder predicts the class at the begin mark behind a text
// (datasets/text/labelled_options.cpp), theirs at the last token, whichever that is.
void expect_mark_behind(const ImportRequest& request, const TheirConfig& theirs,
                        std::optional<AddedMarks> added) {
  if (added == AddedMarks::begin_after) {
    return;
  }
  const std::string name = theirs.first_text("architectures");
  if (!request.token_texts) {
    theirs.refuse(
        "architectures",
        fmt::format("{} reads the begin mark behind a text in tapehead, but tokenizer.json does "
                    "not add just this mark; --token-texts imports the model anyway",
                    name));
  }
  spdlog::warn(
      "{}: the run reads the begin mark behind each text; a model that was trained without this "
      "mark gives other probabilities in the run",
      name);
}

// If their source and target share a table, but our vocabularies differ, each side gets a table.
std::vector<std::string> options_of(const TheirConfig& theirs, const Tokenizers& tokenizers) {
  std::vector<std::string> options = architecture_of(theirs).options(theirs);
  if (!tokenizers.source->shares_file_with(*tokenizers.target)) {
    const std::string tying = "model.tie_embeddings=";
    std::ranges::replace(options, tying + "all", tying + "target_output");
    std::ranges::replace(options, tying + "source_target", tying + "none");
  }
  return options;
}

std::vector<TensorRow> rows_of(const TheirConfig& theirs, const ModelOptions& ours) {
  std::vector<TensorRow> rows = architecture_of(theirs).rows(theirs);
  std::erase_if(rows, [](const TensorRow& row) { return row.only_written; });
  if (ours.two_embeddings() &&
      std::ranges::find(rows, "source.embedding", &TensorRow::ours) == rows.end()) {
    rows.front().entries = Entries::target;
    rows.push_back(rows.front());
    rows.back().ours = "source.embedding";
    rows.back().entries = Entries::source;
  }
  return rows;
}

// Gives no probability to the entries that their model cannot predict.
void exclude_unpredicted(Imported& imported) {
  const Parameter& bias = imported.model->transformer.output().bias;
  Tensor biases = imported.model->store.value(bias);
  const std::vector<bool>& predicted = imported.rows.target.predicted;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    biases.data()[i] = predicted[i] ? biases.data()[i] : never_bias;
  }
}

}  // namespace

Imported import_model(const ImportRequest& request) {
  PretrainedFiles files(request.from);
  const fs::path config_file = files.config_file();
  const TheirConfig theirs(files.config(), config_file);
  const Architecture& architecture = architecture_of(theirs);
  files.leave_out_prefix(architecture.optional_prefix);
  theirs.expect("quantization_config", nullptr);
  const Purpose purpose = purpose_of(theirs);
  if (purpose == Purpose::token_labels) {
    expect_no_marks(theirs, request.from);
  }
  const Index their_size = theirs.count("vocab_size");
  expect_size(files, their_size, "entries");
  if (purpose != Purpose::tokens) {
    expect_size(files, count_labels(theirs), "labels");
  }
  const PretrainedTokenizers tokenizers =
      their_tokenizers(files, theirs, request.begin, request.token_texts);
  const Tokenizers both{tokenizers.source.tokenizer, tokenizers.target.tokenizer};
  const std::vector<std::string> options = options_of(theirs, both);
  const bool masked = purpose == Purpose::tokens && family_of(options).sees_ahead();
  Imported imported{.model_type = std::string(architecture.model_type),
                    .purpose = purpose,
                    .tokenizers = both,
                    .rows = {entry_rows(tokenizers.source, masked), {}}};
  if (purpose != Purpose::token_labels) {
    imported.rows.target = entry_rows(tokenizers.target, false);
  }
  if (purpose == Purpose::tokens) {
    apply_generation_settings(files, tokenizers.target.file_ids[end_id], imported.rows.target);
  }
  imported.rows_left_out = expect_entries(imported.rows, their_size, files);
  const auto added = added_marks(request.from, tokenizers.source.file_ids);
  if (purpose == Purpose::classes) {
    if (!family_of(options).sees_ahead()) {
      expect_mark_behind(request, theirs, added);
    }
    imported.tokenizers.target = std::make_shared<ClassTokenizer>(classes_of(theirs));
  } else if (purpose == Purpose::token_labels) {
    const PretrainedTokenizer labels = label_tokenizer(theirs, tokenizers.target.tokenizer);
    imported.tokenizers.target = labels.tokenizer;
    imported.rows.target = entry_rows(labels, false);
  }
  const char* longest = theirs.has("n_positions") ? "n_positions" : "max_position_embeddings";
  LoadedConfig decided = imported_config(
      {request, purpose, added, theirs, options, theirs.count(longest, 2048)}, imported.tokenizers);
  imported.config = std::move(decided.config);
  imported.written = *std::move(decided.written);
  expect_texts_used(request, imported);
  expect_size(files, parameters_of(imported.config, imported.tokenizers), "parameters");
  imported.model = std::make_unique<Model>(imported.config, imported.tokenizers.source->size(),
                                           imported.tokenizers.target->size(), FirstWeights::zeros);
  imported.left_out = import_weights(files, theirs, rows_of(theirs, imported.config.model),
                                     imported.rows, imported.model->store);
  if (purpose != Purpose::classes) {
    exclude_unpredicted(imported);
  }
  return imported;
}

void write_imported(const Imported& imported, const fs::path& run, bool overwrite) {
  const RunDirectory directory = RunDirectory::create(run, overwrite);
  const RunFiles& files = directory.files();
  save_tokenizers(imported.tokenizers, run);
  Metadata metadata = identity_of(imported.config, imported.tokenizers, imported_data).facts;
  metadata.emplace("step", "0");
  write_tensor_file(files.best(), weight_entries(imported.model->store), metadata);
  // The config is written last: an interrupted import leaves no config, and can then be repeated.
  write_file_atomically(files.written(), written_text(imported.written));
  write_file_atomically(files.config(), dump_config(imported.config));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
