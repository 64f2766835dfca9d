// The entries of a vocabulary that was made elsewhere, renumbered so that they follow our marks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The id of each entry in the files.
using FileVocabulary = std::unordered_map<std::string, Index>;

// The ids in the files of the marks; none: the model has no such mark.
struct FileMarks {
  std::optional<Index> unknown, begin, end, mask;
};

using FindMarks = std::function<FileMarks(const FileVocabulary&)>;

// Finds marks by their usual names: <unk> or [UNK]; <s>, [CLS], <|begin_of_text|> and others;
// </s>, [SEP], <|end_of_text|> and others; <|endoftext|> both begins and ends a text; <mask> or
// [MASK].
FileMarks marks_by_name(const FileVocabulary& vocabulary);

struct PretrainedEntries {
  std::vector<std::string> entries;  // without those that are marks, in the order of their ids
  std::vector<Index> file_ids;       // of each of our ids, marks included; -1: none
  std::optional<Index> mask;         // the file's id of the mask that a masked model reads
};

// Throws DataError if two entries have the same id.
PretrainedEntries renumbered(const FileVocabulary& vocabulary, const FileMarks& marks);

}  // namespace tapehead
