// A vocabulary whose tokenizer cannot be read: a text is then given as its tokens, with blanks
// between them.
#pragma once

#include "datasets/tokenizers/pretrained_tokenizer.hpp"
#include "train/interchange/pretrained_files.hpp"
#include "train/interchange/their_config.hpp"

namespace tapehead {

// Entries of vocab.json, tokenizer.json or vocab.txt, those of a target's own vocabulary of
// target_vocab.json; without these files they are called by their numbers. The marks are those of
// special_tokens_map.json, tokenizer_config.json or config.json. Throws IoError if a file has more
// than `size` entries, or one id twice.
PretrainedTokenizers read_token_texts(const PretrainedFiles& files, const TheirConfig& config,
                                      Index size);

// Whether the directory has a file with the names of entries.
bool has_token_texts(const std::filesystem::path& directory);

}  // namespace tapehead
