// The tokenizers of a model of another program or, where they cannot be read, its vocabulary: a
// text is then given as its tokens, with blanks between them.
#pragma once

#include <filesystem>
#include <optional>

#include "interchange/pretrained_files.hpp"
#include "interchange/their_config.hpp"
#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

// `begin`: as their_marks takes it. `token_texts`: no tokenizer is read. The entries are those of
// vocab.json, tokenizer.json or vocab.txt, those of a target's own vocabulary of target_vocab.json;
// without these files they are called by their numbers. Throws IoError if a file cannot be read, or
// has an id twice or beyond the rows of the model.
PretrainedTokenizers their_tokenizers(const PretrainedFiles& files, const TheirConfig& config,
                                      std::optional<Index> begin, bool token_texts);

// Whether the directory has a file with the names of entries.
bool has_token_texts(const std::filesystem::path& directory);

}  // namespace tapehead
