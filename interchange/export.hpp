// Exports a trained run to other programs: in Hugging Face's layout, or for plain PyTorch as
// weights, options, vocabulary and the Python code that builds the model from them.
#pragma once

#include <nlohmann/json.hpp>

#include "interchange/weight_copy.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// All files that an export may write, including those of a separate target tokenizer.
inline constexpr std::array<const char*, 18> exported_files{
    {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
     "tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt",
     "tokenizer.model", "source.spm", "target.spm", "target_vocab.json", "target/tokenizer.json",
     "target/tokenizer_config.json", "target/special_tokens_map.json", "target/vocab.json",
     "target/merges.txt", "target/tokenizer.model"}};

struct Exported {
  std::string class_name{};  // the transformers class, such as GPT2LMHeadModel
  Json config{};             // config.json
  Json generation{};         // generation_config.json; null: the model does not generate text
  std::vector<ExportedTensor> tensors{};
};

// Converts the model to the nearest architecture. Entries keep our ids. Throws ConfigError that
// names each option without a counterpart there.
Exported export_model(const SavedRun& run);

// Writes config.json, generation_config.json, model.safetensors and the files of the run's
// tokenizers. Throws DataError for a tokenizer that such files cannot hold, and IoError.
void write_exported(const Exported& exported, const SavedRun& run, const fs::path& directory);

inline constexpr std::array pytorch_files{"model.safetensors", "model.py", "vocabulary.json"};

// The weights that the model uses. Score and distance parameters of attentions without heads are
// unused. The store must outlive the result.
std::vector<TensorEntry> used_weights(const Transformer& model, const ParameterStore& store);

// The JSON that the Python code reads beside the weights: options, tables, the marks around a text,
// and the marks that are never written. `name`: of the run and its checkpoint. `one_document`:
// whether the training data of a language model was one document. Throws ConfigError that names an
// option that the Python code does not support.
std::string pytorch_settings(const std::string& name, const Config& config,
                             const Transformer& model, bool one_document);

// Writes the pytorch_files; creates the directory if it is missing. Throws IoError.
void export_pytorch(const SavedRun& run, const fs::path& directory);

}}  // namespace tapehead::TAPEHEAD_PRECISION
