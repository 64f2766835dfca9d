// Parts of `tokenizer.json`, in which the package tokenizers of Hugging Face saves a whole
// tokenizer, and how those that are not supported are refused: by name.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/pretrained_entries.hpp"

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

}  // namespace tapehead
