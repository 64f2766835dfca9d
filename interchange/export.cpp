#include "interchange/export.hpp"

#include "core/text.hpp"
#include "datasets/text/text_options.hpp"
#include "interchange/pytorch_module.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Json labels_of(const Tokenizer& classes) {
  Json names = Json::object();
  Json numbers = Json::object();
  for (Index i = 0; i < classes.size(); ++i) {
    const std::string name = classes.entry(static_cast<TokenId>(i));
    names[std::to_string(i)] = name;
    numbers[name] = i;
  }
  return {{"num_labels", classes.size()}, {"id2label", names}, {"label2id", numbers}};
}

// Options that may be off in our model and on in theirs: the additional weights are exported as 0.
constexpr std::array may_be_zeros{"model.bias_attention", "model.bias_feed_forward",
                                  "model.bias_norm", "model.bias_output", "model.token_types"};

// Throws ConfigError if the architecture has no class for the purpose of the run's model.
Json exported_config(const SavedRun& run, const Architecture& architecture) {
  const Use& use = use_of(run.config);
  const std::string_view name = architecture.classes[static_cast<std::size_t>(use.gives)];
  if (name.empty()) {
    throw ConfigError("a {} model for `{}` cannot be exported", architecture.model_type,
                      use.command);
  }
  Json config = {{"architectures", {name}},
                 {"model_type", architecture.model_type},
                 {"torch_dtype", sizeof(Scalar) == sizeof(float) ? "float32" : "float64"}};
  config.update(architecture.settings(run.config.model));
  const bool two = run.config.model.traits().context;
  const Vocabularies& entries = run.model.transformer.vocabularies();
  const Index rows = std::max(entries.context, entries.input);
  config["vocab_size"] = rows;
  if (two) {  // their two tables have equally many rows
    config["decoder_vocab_size"] = rows;
  }
  config.update({{"bos_token_id", begin_id},
                 {"eos_token_id", end_id},
                 {"pad_token_id", architecture.padding}});
  if (two) {
    config.update({{"decoder_start_token_id", begin_id}, {"forced_eos_token_id", end_id}});
  }
  if (use.gives != Purpose::tokens) {
    config.update(labels_of(*run.tokenizers.target));
  }
  return config;
}

// Throws ConfigError that names each option whose value would differ in the exported model.
void expect_counterpart(const SavedRun& run, const TheirConfig& theirs) {
  std::vector<std::string> options = architecture_of(theirs).options(theirs);
  for (const auto& [option, value] : option_values(run.config)) {
    if (std::ranges::find(may_be_zeros, option) != may_be_zeros.end()) {
      options.push_back(fmt::format("{}={}", option, value));
    }
  }
  const std::string task = fmt::format("task:\n{}", dump_section(run.config, "task"));
  const Config there = parse_config(task, "the exported model", options).config;
  const auto differences = meaning_differences(run.config, there);
  if (!differences.empty()) {
    throw ConfigError(
        "the model has no counterpart in another program; the nearest is {}, but these differ:\n"
        "  {}",
        theirs.first_text("architectures"), join(differences, "\n  "));
  }
}

// `never_written`: entries that no model writes; `never_predicted`: entries without probability in
// our model. Both are suppressed; an import distinguishes them (interchange/architecture.cpp).
Json exported_generation(const Json& config, const std::vector<TokenId>& never_written,
                         const std::vector<Index>& never_predicted) {
  Json generation = {{"do_sample", false}, {"num_beams", 1}};
  for (const char* setting : {"bos_token_id", "eos_token_id", "pad_token_id",
                              "decoder_start_token_id", "forced_eos_token_id"}) {
    if (config.contains(setting)) {
      generation[setting] = config[setting];
    }
  }
  const char* longest = config.contains("n_positions") ? "n_positions" : "max_position_embeddings";
  generation["max_length"] = config.at(longest);
  std::set<Index> suppressed(never_written.begin(), never_written.end());
  suppressed.insert(never_predicted.begin(), never_predicted.end());
  generation["suppress_tokens"] = suppressed;
  for (const Index id : never_predicted) {
    if (id == unknown_id || id == begin_id) {
      generation["bad_words_ids"].push_back(Json::array({id}));
    }
  }
  return generation;
}

// The marks that our model reads around a text, as in its training batches
// (datasets/text/labelled_options.cpp and masked_source in datasets/window_source.cpp). A language
// model whose training data was `one_document` reads no mark in front of a text.
AddedMarks marks_read(const Config& config, bool one_document) {
  const auto* text = config.task.find<TextOptions>();
  const Use& use = use_of(config);
  if (use.continues()) {  // the mark in front of a prompt, as TextFront adds it
    return one_document || !text->begin_mark ? AddedMarks::none
           : text->stream                    ? AddedMarks::end_before
                                             : AddedMarks::begin;
  }
  return text != nullptr && text->documents != DocumentEnd::file ? AddedMarks::begin_and_end
                                                                 : use.marks;
}

// Writes tokenizers with which transformers' AutoTokenizer gives the tokens that our model reads,
// including marks. Two stacks with SentencePiece tokenizers get Marian's files; otherwise a target
// tokenizer that differs is written to the directory `target`.
void write_exported_tokenizers(const Config& config, const Tokenizers& tokenizers,
                               bool one_document, const fs::path& directory) {
  const Index longest = config.model.max_positions;
  const bool both_are_pieces = tokenizers.source->model() && tokenizers.target->model();
  if (config.model.traits().context && both_are_pieces) {
    write_marian_tokenizers(tokenizers, longest, directory);
    return;
  }
  const PretrainedMarks marks{.added = marks_read(config, one_document),
                              .mask = use_of(config).mask,
                              .token_types = config.model.token_types > 1,
                              .padding = nearest_architecture(config.model).padding,
                              .longest = longest};
  write_pretrained_tokenizer(*tokenizers.source, marks, directory);
  if (use_of(config).gives_entries() && !tokenizers.source->shares_file_with(*tokenizers.target)) {
    make_directories(directory / "target");
    write_pretrained_tokenizer(*tokenizers.target, marks, directory / "target");
  }
}

// Throws ConfigError if a parameter that their model lacks has a value besides 0 and `never_bias`.
void expect_covered(const SavedRun& run, const std::vector<TensorRow>& rows,
                    const std::string& class_name) {
  for (const NamedParameter& parameter : run.model.store.parameters()) {
    const bool there = std::ranges::find(rows, parameter.name, &TensorRow::ours) != rows.end();
    const auto values = run.model.store.value(parameter).values();
    const auto says_nothing = [](Scalar value) { return value == 0 || is_never(value); };
    if (!there && !std::ranges::all_of(values, says_nothing)) {
      throw ConfigError("{} is not 0 and has no counterpart in a {}{}", parameter.name, class_name,
                        parameter.name == "output.bias" ? " (model.bias_output)" : "");
    }
  }
}

// The ids of their entries that our output layer lacks or never predicts.
std::vector<Index> never_predicted(const SavedRun& run, Index their_entries) {
  const Transformer& model = run.model.transformer;
  const Parameter& bias = model.output().bias;
  const Index labels = model.vocabularies().labels;
  std::vector<Index> never;
  for (Index i = 0; i < their_entries; ++i) {
    if (i >= labels || (bias.declared() && is_never(run.model.store.value(bias).data()[i]))) {
      never.push_back(i);
    }
  }
  return never;
}

// The first `count` entries. A masked model has one entry more than its tokenizer: the mask.
std::vector<std::string> entries_of(const Tokenizer& tokenizer, Index count) {
  return mapped(numbers_below(count), [&](Index id) {
    return id < tokenizer.size() ? tokenizer.entry(static_cast<TokenId>(id)) : "<mask>";
  });
}

Index rows_of(const Stack& stack) { return stack.embedding.table.shape[0]; }

Json id_or_null(std::optional<TokenId> id) { return id ? Json(*id) : Json(); }

}  // namespace

Exported export_model(const SavedRun& run) {
  const Architecture& architecture = nearest_architecture(run.config.model);
  Exported exported{.config = exported_config(run, architecture)};
  exported.class_name = exported.config["architectures"][0];
  const fs::path file = "config.json";
  const TheirConfig theirs(exported.config, file);
  expect_counterpart(run, theirs);
  const std::vector<TensorRow> rows = architecture.rows(theirs);
  expect_covered(run, rows, exported.class_name);
  exported.tensors = export_weights(run, theirs, rows);
  if (use_of(run.config).writes) {
    exported.generation = exported_generation(exported.config, never_written(has_one_document(run)),
                                              never_predicted(run, theirs.count("vocab_size")));
  }
  return exported;
}

void write_exported(const Exported& exported, const SavedRun& run, const fs::path& directory) {
  make_directories(directory);
  write_exported_tokenizers(run.config, run.tokenizers, has_one_document(run), directory);
  std::vector<TensorEntry> entries;
  for (const ExportedTensor& tensor : exported.tensors) {
    entries.push_back({.name = tensor.name,
                       .dtype = sizeof(Scalar) == sizeof(float) ? DType::f32 : DType::f64,
                       .shape = tensor.shape,
                       .bytes = std::as_bytes(std::span(tensor.numbers))});
  }
  // transformers rejects a file without this metadata.
  write_tensor_file(directory / "model.safetensors", entries, {{"format", "pt"}});
  if (!exported.generation.is_null()) {
    write_file_atomically(directory / "generation_config.json", exported.generation.dump(2) + "\n");
  }
  write_file_atomically(directory / "config.json", exported.config.dump(2) + "\n");
}

std::vector<TensorEntry> used_weights(const Transformer& model, const ParameterStore& store) {
  std::vector<TensorEntry> entries = weight_entries(store);
  for (const MultiHeadAttention* attention : model.attentions()) {
    for (const char* part : {".distance.", ".score."}) {
      std::erase_if(entries, [&](const TensorEntry& entry) {
        return attention->spec.heads == 0 && entry.name.starts_with(attention->weights.path + part);
      });
    }
  }
  return entries;
}

std::string pytorch_settings(const std::string& name, const Config& config,
                             const Transformer& model, bool one_document) {
  expect_known(changed_options(config));
  const Json all = Json::parse(config_json(config));
  const AddedMarks marks = marks_read(config, one_document);
  Json settings = {
      {"run", name},
      {"entries",
       {{"source", rows_of(*model.stacks().front())},
        {"target", rows_of(model.main())},
        {"labels", model.vocabularies().labels}}},
      {"reads", {{"front", id_or_null(marks.before)}, {"behind", id_or_null(marks.behind)}}},
      {"writes", nullptr}};
  for (const char* section : {"model", "encoder_self", "decoder_self", "cross"}) {
    settings[section] = all[section];
  }
  settings["model"].erase("init_from");  // a path on this machine
  if (use_of(config).writes) {
    settings["writes"] = {{"text", use_of(config).continues()},
                          {"begin", begin_id},
                          {"end", one_document ? nullptr : Json(end_id)},
                          {"never", never_written(one_document)}};
  }
  return json_text(settings);
}

void export_pytorch(const SavedRun& run, const fs::path& directory) {
  const auto [weights, source, vocabulary] = pytorch_files;
  const std::string name =
      fmt::format("{} ({})", run.directory.string(), run.checkpoint.filename().string());
  const Transformer& model = run.model.transformer;
  const std::string settings = pytorch_settings(name, run.config, model, has_one_document(run));
  make_directories(directory);
  write_tensor_file(directory / weights, used_weights(model, run.model.store),
                    {{"format", "pt"}, {"tapehead", settings}});
  write_file_atomically(directory / source, std::string(pytorch_module));
  const bool pairs = model.family().context;
  const Json entries = {{pairs ? "source" : "input",
                         entries_of(*run.tokenizers.source, rows_of(*model.stacks().front()))},
                        {pairs ? "target" : "output",
                         entries_of(*run.tokenizers.target, model.vocabularies().labels)}};
  write_file_atomically(directory / vocabulary, json_text(entries, 1) + '\n');
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
