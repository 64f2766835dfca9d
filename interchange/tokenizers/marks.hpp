// The marks in files for other programs: how they are spelled, which of them are put around a text,
// and what the package transformers wants to know of them.
#pragma once

#include "core/files/json_text.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// What a model expects around the tokens of a text.
struct PretrainedMarks {
  AddedMarks added{};
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

// {"bos_token": "<s>", ...}: the content of special_tokens_map.json. With marks on both sides of a
// text they are BERT's cls_token and sep_token as well.
Json named_marks(const MarkTexts& texts, const PretrainedMarks& marks);

// The content of tokenizer_config.json.
Json tokenizer_config(const MarkTexts& texts, const PretrainedMarks& marks);

// The part of tokenizer.json that adds the marks, to a text or to a pair; null if there are none.
// Each text of a pair has its own end mark after it; both share the mark in front.
Json post_processor(const MarkTexts& texts, const PretrainedMarks& marks);

}  // namespace tapehead
