// Byte-pair encoding (Sennrich et al. 2016, "Neural machine translation of rare words with subword
// units", section 3.2): merging neighbours in the order of a table, training the table, and
// omitting merges at random.
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

class MergeTable {
 public:
  // Earlier merges have lower ranks. If a pair occurs twice, its first merge counts.
  void add(TokenPair pair, TokenId merged) {
    merges_.try_emplace(pair, Ranked{std::ssize(merges_), merged});
  }

  // Repeatedly merges the pair of neighbours with the lowest rank, the leftmost of equals, until no
  // pair has a merge. Takes O(n log n) for n tokens.
  std::vector<TokenId> merge(std::vector<TokenId> tokens) const;

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

// The entries and merges of a byte-pair encoding.
struct BytePairs {
  using Pair = std::pair<std::string, std::string>;

  std::vector<std::string> entries;  // without the marks
  std::vector<Pair> merges;          // in the order in which they apply
};

// Adds merged entries behind `entries`, up to `limit`, or until no pair occurs twice. Each step
// merges the pair that occurs most often in all words. Ties go to the lower left number, then to
// the lower right number. `goes_on`: the prefix of entries that do not begin a word; a merged entry
// has it at most once.
BytePairs train_pairs(std::vector<std::string> entries, std::vector<CountedWord> words,
                      std::string_view goes_on, Index limit);

// Subword dropout: in each epoch the same sentence is divided into different pieces, because merges
// of byte-pair encoding are omitted at random. So a model meets rare words in many spellings with
// the same vocabulary, which regularises the training on small corpora (Provilkov et al. 2020,
// "BPE-dropout: simple and effective subword regularization", section 3). The paper draws again at
// each step whether to omit a merge. Here, as in SentencePiece, a merge stays omitted until one of
// its sides changes, so the same probability gives smaller pieces.

// The score of a piece; nullopt if there is no such piece. Higher scores are merged first.
using PieceScore = std::function<std::optional<float>(std::string_view piece)>;

// Merges the characters (UTF-8) of a word into pieces. Each step takes the pair of neighbours that
// forms the piece with the best score, the leftmost of equals. With `probability` the step keeps
// this pair apart instead, until one side of the pair changes. The random draws are numbered from
// `draw` on. Probability 0 is byte-pair encoding.
std::vector<std::string_view> merge_with_dropout(std::string_view word, const PieceScore& score,
                                                 double probability, const Draws& draws,
                                                 std::uint64_t& draw);

}  // namespace tapehead
