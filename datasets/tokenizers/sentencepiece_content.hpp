// The content of a SentencePiece model, for code that works without the library. The source file
// also has the tokenizer's file with its checksum, and the encoding of a line.
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

// The content of a tokenizer's model; pieces that it may not use are `unused`. Throws DataError.
SentencePieceContent content_of(const SentencePieceTokenizer& tokenizer);

}  // namespace tapehead
