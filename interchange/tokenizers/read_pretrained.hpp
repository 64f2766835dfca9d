// Reads a tokenizer that was made elsewhere from the files that models are published with.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

// From the first of these that the directory contains:
// - `tokenizer.json`, with byte-level BPE as in GPT-2, or WordPiece as in BERT;
// - `vocab.json` and `merges.txt`: byte-level BPE as in GPT-2;
// - `vocab.txt`: WordPiece as in BERT, which turns text into lower case, without accents, unless
//   `tokenizer_config.json` says otherwise.
// If the first cannot be read, no other is tried: it may say what the others do not. `find_marks`:
// which entries are marks. Throws IoError, with the file, if there is none of them, or if one is
// damaged, or is of another type; the message names what is not supported: the normaliser,
// pre-tokeniser, pattern, model or option.
PretrainedTokenizer read_pretrained_tokenizer(const std::filesystem::path& directory,
                                              const FindMarks& find_marks = marks_by_name);

// The ids of the marks that a tokenizer puts around a text.
struct MarksAround {
  std::vector<Index> before;
  std::vector<Index> behind;
};

// As `tokenizer.json` says, with a TemplateProcessing, or the processor of BERT or RoBERTa; none if
// there is no `tokenizer.json`. Throws IoError.
std::optional<MarksAround> marks_around_text(const std::filesystem::path& directory);

}  // namespace tapehead
