// What a SentencePiece model consists of, for those who do what the library does without it. The
// source also has a tokenizer's file with a checksum, and how it reads a line, a long one in parts.
#pragma once

#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

struct Piece {
  std::string text;
  float score = 0;
  bool unused = false;
};

struct SentencePieceContent {
  TokenizerKind kind = TokenizerKind::unigram;  // or bpe
  std::vector<Piece> pieces;                    // in the order of the ids, marks included
  std::string character_map;   // of the normalisation, as the library compiles it; empty: none
  bool removes_spaces = true;  // at both ends, and all but one between words
};

// Of a tokenizer, with the pieces that it may use. Throws DataError.
SentencePieceContent content_of(const SentencePieceTokenizer& tokenizer);

}  // namespace tapehead
