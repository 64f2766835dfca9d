// What tapehead adds to SentencePiece models, in fields that SentencePiece and its tools do not
// read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

struct ModelAdditions {
  std::optional<Index> target_pieces{};  // a target may use so many of the first pieces alone
  // A text that begins with `>>...<<` begins with the name of a language, which is one token, as
  // MarianTokenizer of transformers has it.
  bool language_names = false;
  std::vector<std::string> further_entries{};  // no pieces; their ids follow those of the pieces
};

// Throws DataError.
ModelAdditions additions_of(std::string_view model);

// The model with these additions in the place of its own.
std::string with_additions(std::string_view model, const ModelAdditions& additions);

}  // namespace tapehead
