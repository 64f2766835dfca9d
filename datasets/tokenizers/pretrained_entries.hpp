// The entries of a vocabulary that was made elsewhere, renumbered so that they follow our marks.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The id of each entry in the files.
using FileVocabulary = std::unordered_map<std::string, Index>;

struct PretrainedEntries {
  std::vector<std::string> entries;  // without those that are marks, in the order of their ids
  std::vector<Index> file_ids;       // of each of our ids, marks included; -1: none
  std::optional<Index> mask;         // the file's id of the mask that a masked model reads
};

// Recognises the marks by their usual names: <unk> or [UNK]; <s>, [CLS] or <|endoftext|>, which
// begins and ends a text; </s> or [SEP]; <mask> or [MASK]. Throws DataError if two entries have the
// same id.
PretrainedEntries renumbered(const FileVocabulary& vocabulary);

}  // namespace tapehead
