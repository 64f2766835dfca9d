// The tokenizer files of an exported model.
#pragma once

#include <filesystem>

#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The mark that fills batches up there. In a decoder it is the end mark, as is usual for GPT-2: a
// prompt has begin marks, and one without an attention mask must not look filled up. Elsewhere it
// is the begin mark, with which a decoder of Marian begins.
constexpr TokenId padding_of(Family family) {
  return family == Family::decoder ? end_id : begin_id;
}

// So that transformers' AutoTokenizer makes of a text what our model reads of it, marks included.
// Two stacks with SentencePiece get the files of Marian; with other tokenizers that differ, the
// target's are in the directory `target`. `one_document`: all that a language model was trained on;
// then it reads no mark in front of a text. Throws DataError for a tokenizer that such files cannot
// hold, and IoError.
void write_exported_tokenizers(const Config& config, const Tokenizers& tokenizers,
                               bool one_document, const std::filesystem::path& directory);

}  // namespace tapehead
