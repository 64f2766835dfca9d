// Reads `tokenizer.json`, in which the package tokenizers of Hugging Face saves a whole tokenizer,
// and refuses by name what is not supported.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/pretrained_entries.hpp"
#include "datasets/tokenizers/pretrained_tokenizer.hpp"

namespace tapehead {

// Throws DataError that names what is not supported.
PretrainedTokenizer tokenizer_of_json(const nlohmann::json& json);

// From the entries of `vocab.json` and the text of `merges.txt`. Throws DataError.
PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges);

}  // namespace tapehead
