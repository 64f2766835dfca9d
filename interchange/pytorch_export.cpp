#include "interchange/pytorch_export.hpp"

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/export.hpp"
#include "interchange/pytorch_module.hpp"
#include "train/config/config.hpp"
#include "train/options/application.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr const char* mask_entry = "<mask>";

// The first `count` entries. A masked model has one more than its tokenizer: the mask.
std::vector<std::string> entries_of(const Tokenizer& tokenizer, Index count) {
  std::vector<std::string> entries;
  for (Index id = 0; id < count; ++id) {
    entries.push_back(id < tokenizer.size() ? tokenizer.entry(static_cast<TokenId>(id))
                                            : mask_entry);
  }
  return entries;
}

Index rows_of(const Stack& stack) { return stack.embedding.table.shape[0]; }

std::string vocabulary_json(const SavedRun& run) {
  const Transformer& model = run.model.transformer;
  const bool pairs = model.family().context;
  const Json json = {{pairs ? "source" : "input",
                      entries_of(*run.tokenizers.source, rows_of(*model.stacks().front()))},
                     {pairs ? "target" : "output",
                      entries_of(*run.tokenizers.target, model.vocabularies().labels)}};
  return json_text(json, 1) + '\n';
}

Json id_or_null(std::optional<TokenId> id) { return id ? Json(*id) : Json(); }

}  // namespace

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
  settings["model"].erase("init_from");  // a path
  if (use_of(config).writes) {
    settings["writes"] = {{"text", use_of(config).continues()},
                          {"begin", begin_id},
                          {"end", one_document ? nullptr : Json(end_id)},
                          {"never", never_written(one_document)}};
  }
  return json_text(settings);
}

void export_pytorch(const SavedRun& run, const std::filesystem::path& directory) {
  const auto [weights, source, vocabulary] = pytorch_files;
  const std::string name =
      fmt::format("{} ({})", run.directory.string(), run.checkpoint.filename().string());
  const std::string settings =
      pytorch_settings(name, run.config, run.model.transformer, has_one_document(run));
  make_directories(directory);
  write_tensor_file(directory / weights, used_weights(run.model.transformer, run.model.store),
                    {{"format", "pt"}, {"tapehead", settings}});
  write_file_atomically(directory / source, std::string(pytorch_module));
  write_file_atomically(directory / vocabulary, vocabulary_json(run));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
