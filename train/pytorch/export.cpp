#include "train/pytorch/export.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/evaluation/run_ensemble.hpp"
#include "train/pytorch/source.hpp"
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

std::string vocabulary_json(const SavedRun& run) {
  const Transformer& model = run.model.transformer;
  const Vocabularies& entries = model.vocabularies();
  const bool pairs = model.family() == Family::encoder_decoder;
  const nlohmann::ordered_json json = {
      {pairs ? "source" : "input",
       entries_of(*run.tokenizers.source, pairs ? entries.context : entries.input)},
      {pairs ? "target" : "output", entries_of(*run.tokenizers.target, entries.labels)}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

PytorchModel pytorch_model(const SavedRun& run) {
  const Vocabularies& entries = run.model.transformer.vocabularies();
  const bool pairs = run.model.transformer.family() == Family::encoder_decoder;
  return {
      .name = fmt::format("{} ({})", run.directory.string(), run.checkpoint.filename().string()),
      .config = run.config,
      .tables = {.source = pairs ? entries.context : entries.input,
                 .target = entries.input,
                 .labels = entries.labels},
      .ends = !has_one_document(run)};
}

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

void export_pytorch(const SavedRun& run, const std::filesystem::path& directory) {
  const auto [weights, source, vocabulary] = pytorch_files;
  const std::string text = pytorch_source(pytorch_model(run));
  make_directories(directory);
  write_tensor_file(directory / weights, used_weights(run.model.transformer, run.model.store),
                    {{"format", "pt"}});
  write_file_atomically(directory / source, text);
  write_file_atomically(directory / vocabulary, vocabulary_json(run));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
