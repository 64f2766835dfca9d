// Reads a tokenizer that was made elsewhere from the files that models are published with.
#pragma once

#include <filesystem>
#include <optional>

#include "datasets/tokenizers/pretrained_tokenizer.hpp"

namespace tapehead {

// From the first of these that the directory contains:
// - `tokenizer.json`, with byte-level BPE as in GPT-2, or WordPiece as in BERT;
// - `vocab.json` and `merges.txt`: byte-level BPE as in GPT-2;
// - `vocab.txt`: WordPiece as in BERT, which turns text into lower case, without accents, unless
//   `tokenizer_config.json` says otherwise.
// If the first cannot be read, no other is tried: it may say what the others do not.
// Throws IoError, with the file, if there is none of them, or if one is damaged, or is of another
// type; the message names what is not supported: the normaliser, pre-tokeniser, pattern, model or
// option.
PretrainedTokenizer read_pretrained_tokenizer(const std::filesystem::path& directory);

// The id of the mark that `tokenizer.json` puts in front of a text with a TemplateProcessing; none
// if it puts none there, or is missing. Throws IoError.
std::optional<Index> mark_in_front(const std::filesystem::path& directory);

}  // namespace tapehead
