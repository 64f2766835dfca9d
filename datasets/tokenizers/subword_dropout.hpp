// Subword dropout: in each epoch the same sentence is cut into other pieces, because merges of
// byte-pair encoding are left out at random. A model then meets rare words in many spellings of the
// same vocabulary, which regularises the training on small corpora (Provilkov et al. 2020,
// "BPE-dropout: simple and effective subword regularization", section 3). There a merge that was
// left out is drawn anew at each step; here, as in SentencePiece, it stays left out until one of
// its sides has changed, so that the same probability cuts finer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/random/draws.hpp"

namespace tapehead {

// The score of a piece: merges that give a higher one come first. None where there is no such
// piece.
using PieceScore = std::function<std::optional<float>(std::string_view piece)>;

// The pieces that a word's characters (UTF-8) merge into. Of the pairs of neighbours that are a
// piece together, the best is merged, of equals the leftmost, until none is left; a pair that is
// about to be merged is left apart with `probability`, for as long as both of its sides stay as
// they are. Counts its draws on from `draw`. With probability 0 it is byte-pair encoding itself.
std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw);

}  // namespace tapehead
