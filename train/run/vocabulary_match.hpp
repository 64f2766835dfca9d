// Finds the entries that two vocabularies have in common, by their text.
#pragma once

#include <string_view>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct VocabularyMatch {
  std::vector<Index> from;  // for each entry its number in the other vocabulary, or -1
  Index matched = 0;        // without the marks
  Index entries = 0;        // without the marks
};

// Marks match marks. Of several entries with the same text the first one counts.
VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours);

}  // namespace tapehead
