// Byte-pair encoding (Sennrich et al. 2016, "Neural machine translation of rare words with subword
// units", section 3.2): which neighbours become one token, in which order, and its training.
#pragma once

#include "core/prelude.hpp"

#include <unordered_map>

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

}  // namespace tapehead
