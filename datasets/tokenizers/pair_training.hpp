// The training of byte-pair encoding (Sennrich et al. 2016, "Neural machine translation of rare
// words with subword units", section 3.2): which pairs of neighbours become one entry.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

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
