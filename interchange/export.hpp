// Exports a trained run to other programs: as a model in Hugging Face's layout, or as plain
// PyTorch, its weights with its options, the Python that makes a model of them, and its vocabulary.
#pragma once

#include <nlohmann/json.hpp>

#include "interchange/tokenizers/tokenizer_parts.hpp"
#include "interchange/weight_copy.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The files that there may be, with those of a target's own tokenizer.
inline constexpr std::array<const char*, 18> exported_files{
    {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
     "tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt",
     "tokenizer.model", "source.spm", "target.spm", "target_vocab.json", "target/tokenizer.json",
     "target/tokenizer_config.json", "target/special_tokens_map.json", "target/vocab.json",
     "target/merges.txt", "target/tokenizer.model"}};

struct Exported {
  std::string class_name{};  // of theirs, such as GPT2LMHeadModel
  Json config{};             // config.json
  Json generation{};         // generation_config.json; null: the model writes no text
  std::vector<ExportedTensor> tensors{};
};

// The model of the nearest architecture. Its entries have the ids that they have here. Throws
// ConfigError that names each option which has no counterpart there.
Exported export_model(const SavedRun& run);

// Writes config.json, generation_config.json, model.safetensors and the files of the run's
// tokenizers. Throws DataError for a tokenizer that such files cannot hold, and IoError.
void write_exported(const Exported& exported, const SavedRun& run,
                    const std::filesystem::path& directory);

inline constexpr std::array pytorch_files{"model.safetensors", "model.py", "vocabulary.json"};

// The weights that the model uses: attentions without heads have distances and scales that nothing
// reads. The store must outlive them.
std::vector<TensorEntry> used_weights(const Transformer& model, const ParameterStore& store);

// What the Python reads beside the weights, as JSON: options, tables, and the marks that stand
// around what the model reads or are never written. `name`: of the run and its checkpoint;
// `one_document`: all that a language model was trained on. Throws ConfigError that names an option
// that there is no Python for.
std::string pytorch_settings(const std::string& name, const Config& config,
                             const Transformer& model, bool one_document);

// Writes the pytorch_files into the directory, which is made if it is missing. Throws IoError.
void export_pytorch(const SavedRun& run, const std::filesystem::path& directory);

}}  // namespace tapehead::TAPEHEAD_PRECISION
