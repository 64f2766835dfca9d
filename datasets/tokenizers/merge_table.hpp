// Byte-pair encoding (Sennrich et al. 2016, "Neural machine translation of rare words with subword
// units", section 3.2): which neighbours become one token, in which order; its training; and merges
// that are omitted at random.
#pragma once

#include <unordered_map>

#include "core/random/draws.hpp"

namespace tapehead {

using TokenPair = std::pair<TokenId, TokenId>;

struct TokenPairHash {
  std::size_t operator()(const TokenPair& pair) const {
    // Neighbouring ids differ in few bits; multiplying by 2^64 over the golden ratio spreads them.
    const std::uint64_t both = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.first))
                                   << 32 |
                               static_cast<std::uint32_t>(pair.second);
    const std::uint64_t spread = both * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(spread ^ (spread >> 32));
  }
};

struct Merge {
  TokenPair pair;
  TokenId merged;
};

class MergeTable {
 public:
  // A merge that comes earlier has a lower rank. Of two merges of the same pair the first counts.
  explicit MergeTable(const std::vector<Merge>& merges);

  // Of all pairs of neighbours that have a merge, the one of the lowest rank is merged, of equals
  // the leftmost, until none is left. Takes O(n log n) for n tokens.
  std::vector<TokenId> merge(const std::vector<TokenId>& tokens) const;

 private:
  struct Ranked {
    Index rank;
    TokenId merged;
  };
  const Ranked* find(TokenPair pair) const;

  std::unordered_map<TokenPair, Ranked, TokenPairHash> merges_;
};

struct CountedWord {
  std::vector<TokenId> tokens;  // numbers of entries, from 0
  Index count = 0;              // how often it was seen
};

struct TrainedPairs {
  std::vector<std::string> entries;                         // the first ones, then those merged
  std::vector<std::pair<std::string, std::string>> merges;  // in order
};

// Goes on from these entries until there are `limit` of them, or no pair occurs twice. Each merge
// is that of the pair that occurs most often in all words; of equals that whose left entry, then
// whose right entry has the lower number. `goes_on`: what an entry begins with that is not the
// first of a word; merged entries have it once.
TrainedPairs train_pairs(std::vector<std::string> entries, std::vector<CountedWord> words,
                         std::string_view goes_on, Index limit);

// Subword dropout: in each epoch the same sentence is divided into different pieces, because merges
// of byte-pair encoding are omitted at random. So a model meets rare words in many spellings with
// the same vocabulary, which regularises the training on small corpora (Provilkov et al. 2020,
// "BPE-dropout: simple and effective subword regularization", section 3). In that paper an omitted
// merge is drawn again at each step. Here, as in SentencePiece, it stays omitted until one of its
// sides has changed, so the same probability gives smaller pieces.

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
