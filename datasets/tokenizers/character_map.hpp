// Checks the normalisations of a SentencePiece model, which the library follows without a check.
#pragma once

#include <string_view>

namespace tapehead {

// Throws DataError if the library could read outside of one of the model's compiled maps of
// characters.
void expect_sound_character_maps(std::string_view model);

}  // namespace tapehead
