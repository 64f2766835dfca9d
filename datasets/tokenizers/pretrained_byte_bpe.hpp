// Byte-level BPE from the files of GPT-2, or from `tokenizer.json`.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/pretrained_entries.hpp"
#include "datasets/tokenizers/pretrained_tokenizer.hpp"

namespace tapehead {

// Throws DataError that names what is not supported.
PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks);

// From the entries of `vocab.json`, the text of `merges.txt`, and the content of
// `tokenizer_config.json`: {} if there is none. Throws DataError.
PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks);

}  // namespace tapehead
