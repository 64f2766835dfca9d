// What the package transformers wants to know of a tokenizer: the names of its marks, and which of
// them it puts around a text.
#pragma once

#include "interchange/tokenizers/marks.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

// {"bos_token": "<s>", ...}: the content of special_tokens_map.json. With marks on both sides of a
// text they are BERT's cls_token and sep_token as well.
Json named_marks(const MarkTexts& texts, const PretrainedMarks& marks);

// The content of tokenizer_config.json.
Json tokenizer_config(const MarkTexts& texts, const PretrainedMarks& marks);

// The part of tokenizer.json that adds the marks, to a text or to a pair; null if there are none.
// Each text of a pair has its own end mark after it; both share the mark in front.
Json post_processor(const MarkTexts& texts, const PretrainedMarks& marks);

}  // namespace tapehead
