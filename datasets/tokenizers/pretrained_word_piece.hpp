// WordPiece from the files of BERT, or from `tokenizer.json`.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/pretrained_entries.hpp"
#include "datasets/tokenizers/pretrained_tokenizer.hpp"

namespace tapehead {

// Throws DataError that names what is not supported.
PretrainedTokenizer word_piece_of_json(const nlohmann::json& tokenizer,
                                       const FindMarks& find_marks);

// From the text of `vocab.txt`, an entry a line, and the content of `tokenizer_config.json`: {} if
// there is none. Throws DataError.
PretrainedTokenizer word_piece_of_files(std::string_view vocabulary, const nlohmann::json& config,
                                        const FindMarks& find_marks);

}  // namespace tapehead
