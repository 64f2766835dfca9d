// The entries that two vocabularies have in common, by their text.
#pragma once

#include <string_view>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct VocabularyMatch {
  std::vector<Index> from;  // of each entry its number in the other vocabulary, or -1
  Index matched = 0;        // marks apart
  Index entries = 0;        // marks apart
};

// Marks match marks. Of entries with the same text the first counts.
VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours);

}  // namespace tapehead
