// The parts of `tokenizer.json`, in which the package tokenizers of Hugging Face saves a tokenizer:
// what it does with a text before, in and after its vocabulary.
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "interchange/tokenizers/marks.hpp"

namespace tapehead {

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
