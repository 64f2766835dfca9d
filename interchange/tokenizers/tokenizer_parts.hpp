// The parts of `tokenizer.json`, the format of Hugging Face's package tokenizers: normalizer,
// pre-tokenizer, model, decoder and marks. Also the files that tell the package transformers the
// marks.
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

// The marks and limits that a model expects of its tokenizer.
struct PretrainedMarks {
  AddedMarks added{};
  bool mask = false;           // has a mask: one more id, after the last entry
  bool token_types = false;    // tokens have types: 0 up to the first end mark, then 1
  TokenId padding = begin_id;  // fills up batches: the begin or the end mark
  Index longest = 0;           // most tokens of a sequence, including marks; 0: unlimited
};

struct MarkTexts {
  std::string unknown = "<unk>";
  std::string begin = "<s>";
  std::string end = "</s>";
  std::string mask = "<mask>";
};

// Marks that differ from all entries: a mark that equals an entry gets another pair of brackets,
// such as <<unk>>, because the files cannot give an entry and a mark the same text.
MarkTexts apart_from(std::span<const std::string> entries, MarkTexts marks);

// The contents of special_tokens_map.json, such as {"bos_token": "<s>"}, and tokenizer_config.json.
// If a text has marks on both sides, they are also BERT's cls_token and sep_token.
Json named_marks(const MarkTexts& texts, const PretrainedMarks& marks);
Json tokenizer_config(const MarkTexts& texts, const PretrainedMarks& marks);

// The part of tokenizer.json that adds marks to a text or a pair; null: it adds none. In a pair,
// the begin mark comes once in front, and an end mark after each text.
Json post_processor(const MarkTexts& texts, const PretrainedMarks& marks);

// Writes one value per line, so that versions of the file can be compared. Throws IoError.
inline void write_json(const fs::path& file, const Json& json) {
  write_file_atomically(file, json.dump(1) + '\n');
}

struct TokenizerParts {
  MarkTexts marks;
  Json normalizer{};     // null: it changes nothing
  Json pre_tokenizer{};  // cuts the normalised text; null: it does not
  Json model{};          // the vocabulary, and how text becomes tokens
  Json decoder{};        // turns the texts of tokens into a text
};

// These throw DataError for what the files cannot represent: an entry that is not UTF-8, or
// subwords that the tokenizer has but may not use.
TokenizerParts parts_of(const VocabularyTokenizer& tokenizer);
TokenizerParts parts_of(const ByteBpe& tokenizer);
TokenizerParts parts_of(const WordPiece& tokenizer);
TokenizerParts parts_of(const SentencePieceTokenizer& tokenizer);

// A model of type BPE; each merge is "a b". Throws DataError for an entry that is not UTF-8.
Json bpe_model(const MarkTexts& marks, std::span<const std::string> entries, Json merges);

// Turns a text into byte characters, or back if used as a decoder. `chunks`: whether it also cuts
// the text with GPT-2's pattern.
Json byte_level(bool chunks);

Json sequence_of(const char* name, Json steps);  // name: of the list
Json replace_text(std::string_view text, std::string_view by);
Json replace_pattern(std::string_view regex, std::string_view by);
Json split_at(Json pattern, const char* behavior);

}  // namespace tapehead
