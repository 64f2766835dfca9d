// The tokenizers in `tokenizer.json`, in which the package tokenizers of Hugging Face saves a whole
// tokenizer, and in the files of GPT-2 and BERT.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

// Throws DataError unless a part, which may be missing, is of this type. Of a sequence the error
// shows the steps, with their patterns.
void expect_type(const nlohmann::json& of, std::string_view part, const nlohmann::json& expected);

struct ExpectedOption {
  const char* name;
  nlohmann::json usual;
};

// Throws DataError unless all of these options of a part have their usual values. An option that is
// missing, null or an empty text has it.
void expect_options(const nlohmann::json& of, std::string_view part,
                    std::initializer_list<ExpectedOption> expected);

// The entries of the model, and the marks that were added to them. Throws DataError for text that
// was added.
FileVocabulary vocabulary_of(const nlohmann::json& tokenizer);

// Throws DataError that names what is not supported.
PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks);

// From the entries of `vocab.json`, the text of `merges.txt`, and the content of
// `tokenizer_config.json`: {} if there is none. Throws DataError.
PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks);

// Throws DataError that names what is not supported.
PretrainedTokenizer word_piece_of_json(const nlohmann::json& tokenizer,
                                       const FindMarks& find_marks);

// From the text of `vocab.txt`, an entry a line, and the content of `tokenizer_config.json`: {} if
// there is none. Throws DataError.
PretrainedTokenizer word_piece_of_files(std::string_view vocabulary, const nlohmann::json& config,
                                        const FindMarks& find_marks);

}  // namespace tapehead
