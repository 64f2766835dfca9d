#include "train/run/vocabulary_match.hpp"

#include <string>
#include <unordered_map>

namespace tapehead {

VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours) {
  std::unordered_map<std::string, Index> numbers;
  for (Index id = mark_count; id < theirs.size(); ++id) {
    numbers.emplace(theirs.entry(static_cast<TokenId>(id)), id);
  }
  VocabularyMatch match{.from = {0, 1, 2}, .entries = ours.size() - mark_count};
  static_assert(mark_count == 3);
  for (Index id = mark_count; id < ours.size(); ++id) {
    const auto found = numbers.find(ours.entry(static_cast<TokenId>(id)));
    match.from.push_back(found == numbers.end() ? -1 : found->second);
    match.matched += found == numbers.end() ? 0 : 1;
  }
  return match;
}

}  // namespace tapehead
