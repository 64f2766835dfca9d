// Byte-level byte-pair encoding (Radford et al. 2019, "Language models are unsupervised multitask
// learners", section 2.2): text is cut into chunks, and the bytes of each chunk are merged into the
// entries of the vocabulary. Any text is encoded without unknown tokens and decoded exactly.
#pragma once

#include <unordered_map>

#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

// Byte characters: a printable character in UTF-8 for each of the 256 bytes, in the order of the
// code points. Files of byte-level BPE spell their entries in byte characters (the code of GPT-2).
// Printable characters of Latin-1 stand for themselves. The other bytes have the characters from
// U+0100 on: a space is U+0120.
struct ByteCharacter {
  char byte;
  std::string character;
};
const std::array<ByteCharacter, 256>& byte_characters();

std::string spelled_bytes(std::string_view bytes);

// The bytes of a spelled text; nullopt if it contains anything but byte characters.
std::optional<std::string> bytes_of_spelling(std::string_view spelled);

class ByteBpe : public Tokenizer {
 public:
  static constexpr std::string_view kind = "byte_bpe";

  // `pairs`: in byte characters. An entry that is neither a byte nor the result of a merge is a
  // mark of the vocabulary, and stands for no text. Throws DataError if a byte has no entry, if an
  // entry occurs twice, or if a side or the result of a merge is not an entry.
  explicit ByteBpe(BytePairs pairs);

  Index size() const override { return vocabulary_.size(); }
  // Bytes that are not UTF-8 are encoded like all other bytes.
  std::vector<TokenId> encode(std::string_view text) const override;
  // The bytes of the tokens. They need not be UTF-8, since a character may have several tokens.
  std::string decode(const std::vector<TokenId>& tokens) const override;
  // The text of the entry, with U+2581 for a space, "\n" for a line end, and <C3> for a byte that
  // is not a whole character.
  std::string entry(TokenId token) const override;
  void save(const fs::path& stem) const override;
  WordFronts word_fronts() const override { return {.begins = space_shown}; }

  const BytePairs& pairs() const { return pairs_; }

 private:
  std::vector<TokenId> tokens_of_bytes(std::string_view bytes) const;
  MergeTable checked_merges() const;

  BytePairs pairs_;
  Vocabulary vocabulary_;
  std::vector<std::string> bytes_;  // of each entry after the marks
  std::array<TokenId, 256> byte_ids_{};
  MergeTable merges_;
  // Chunks that merge into one entry: most chunks of a text. Encoding looks them up.
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> whole_chunks_;
};

// Trains a vocabulary of at most `vocabulary` entries, marks included, which must be 259 or more:
// the bytes, then the merges. Each step merges the pair of neighbours within a chunk that occurs
// most often in all lines. Ties go to the lower left id, then to the lower right id. A pair that
// occurs once is not merged.
BytePairs train_byte_bpe(std::span<const std::string> lines, Index vocabulary);

inline constexpr Index smallest_byte_bpe = mark_count + 256;

// The pairs in the entries of a file that `save` wrote.
BytePairs byte_pairs_of(const std::vector<std::string>& saved);

}  // namespace tapehead
