// The parts of `tokenizer.json`, in which the package tokenizers of Hugging Face saves a tokenizer:
// what it does with a text before, in and after its vocabulary; and the marks in such files: how
// they are spelled, which are put around a text, and what the package transformers wants to know.
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "datasets/tokenizers/word_piece.hpp"

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

// With a line for each value, so that two versions of a file can be compared. Throws IoError.
inline void write_json(const std::filesystem::path& file, const Json& json) {
  write_file_atomically(file, json.dump(1) + '\n');
}

// Bytes as text (RFC 4648, section 4).
std::string base64_of(std::string_view bytes);

struct TokenizerParts {
  MarkTexts marks;
  Json normalizer{};     // null if there is nothing to do, as are the next two
  Json pre_tokenizer{};  // cuts the normalised text
  Json model{};          // the vocabulary, and how it cuts what it gets
  Json decoder{};        // makes a text of the entries of tokens
};

// Each throws DataError for what the files cannot hold: an entry that is no UTF-8, or subwords that
// the tokenizer has but may not use.
TokenizerParts parts_of(const VocabularyTokenizer& tokenizer);
TokenizerParts parts_of(const ByteBpe& tokenizer);
TokenizerParts parts_of(const WordPiece& tokenizer);
TokenizerParts parts_of(const SentencePieceTokenizer& tokenizer);

// A model of type BPE; each merge is "a b". Throws DataError for an entry that is no UTF-8.
Json bpe_model(const MarkTexts& marks, std::span<const std::string> entries, Json merges);

// What makes byte characters of a text, and as a decoder a text of them. `chunks`: whether it also
// cuts the text with GPT-2's pattern.
Json byte_level(bool chunks);

Json sequence_of(const char* name, Json steps);  // name: of the list in the part
Json replace_text(std::string_view text, std::string_view by);
Json replace_pattern(std::string_view regex, std::string_view by);
Json split_at(Json pattern, const char* behavior);

}  // namespace tapehead
