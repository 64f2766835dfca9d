// How the marks are spelled in files for other programs, and which of them are put around a text.
#pragma once

#include <span>
#include <string>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The marks that encoding adds to a text. begin_after: it is followed by the begin mark, where a
// decoder begins to write. end_before: it follows the end mark, of another document.
enum class AddedMarks { none, begin, end, begin_and_end, begin_after, end_before };

// What a model expects around the tokens of a text.
struct PretrainedMarks {
  AddedMarks added = AddedMarks::none;
  bool mask = false;           // a masked model's: one more id, after the last entry
  bool token_types = false;    // the tokens of a pair have types: 0, after the first end mark 1
  TokenId padding = begin_id;  // what fills a batch up: the begin or the end mark
  Index longest = 0;           // tokens that the model can read, marks included; 0: any number
};

struct MarkTexts {
  std::string unknown = "<unk>";
  std::string begin = "<s>";
  std::string end = "</s>";
  std::string mask = "<mask>";
};

// BERT's.
inline MarkTexts bert_marks() {
  return {.unknown = "[UNK]", .begin = "[CLS]", .end = "[SEP]", .mask = "[MASK]"};
}

// The same, where a mark that is spelled like one of these entries has a further pair of brackets,
// such as <<unk>>: an entry and a mark cannot share a text in the files.
MarkTexts apart_from(std::span<const std::string> entries, MarkTexts marks);

}  // namespace tapehead
