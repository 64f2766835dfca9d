// Exports a model of ours to another program: a run becomes a directory in Hugging Face's layout.
#pragma once

#include <nlohmann/json.hpp>

#include "interchange/tokenizers/marks.hpp"
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

// The marks around what a model reads. `one_document`: all that a language model was trained on;
// then it reads no mark in front of a text.
AddedMarks marks_read(const Config& config, bool one_document);

}}  // namespace tapehead::TAPEHEAD_PRECISION
