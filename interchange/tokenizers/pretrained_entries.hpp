// A tokenizer that was made elsewhere, with the ids that it had there, and its entries, renumbered
// so that they follow our marks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// A tokenizer whose ids are ours: unknown, begin and end mark, then the other entries in the order
// of the files, without the mask. So row i of our embedding is row file_ids[i] of the model's.
// Marks in the files are no text: `encode` never gives them.
struct PretrainedTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<Index> file_ids;  // the id in the files of each of our ids; -1: the files have none
  std::optional<Index> mask;    // the id in the files of the mask, which is `mask_id` here
};

// The tokenizers of both sides.
struct PretrainedTokenizers {
  PretrainedTokenizer source;
  PretrainedTokenizer target;
};

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
