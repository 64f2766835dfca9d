// Subword dropout: in each epoch the same sentence is divided into different pieces, because merges
// of byte-pair encoding are omitted at random. So a model meets rare words in many spellings with
// the same vocabulary, which regularises the training on small corpora (Provilkov et al. 2020,
// "BPE-dropout: simple and effective subword regularization", section 3). In that paper an omitted
// merge is drawn again at each step. Here, as in SentencePiece, it stays omitted until one of its
// sides has changed, so the same probability gives smaller pieces.
#pragma once

#include "core/random/draws.hpp"

namespace tapehead {

// The score of a piece: merges into pieces with a higher one come first. Nothing: no such piece.
using PieceScore = std::function<std::optional<float>(std::string_view piece)>;

// Merges the characters (UTF-8) of a word into pieces. Of all pairs of neighbours that form a
// piece, the one with the best score is merged (if equal, the leftmost), until none is left. A pair
// that is about to be merged is kept apart with `probability`, as long as both of its sides stay
// the same. The random draws are numbered from `draw` on. Probability 0 is byte-pair encoding.
std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw);

}  // namespace tapehead
