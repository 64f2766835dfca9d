#include "datasets/synthetic/bigram_statistics.hpp"

#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

// Typed examples are split at white space, so no entry may hold any: other characters stand for it,
// those for control characters from Unicode's block Control Pictures (U+2400 on).
std::string visible(std::string_view character) {
  if (character == " ") {
    return "␣";
  }
  if (character == "\n") {
    return "↵";
  }
  const auto first = static_cast<unsigned char>(character.front());
  return first < ' ' ? std::string("\xE2\x90") + static_cast<char>('\x80' + first)
                     : std::string(character);
}

}  // namespace

CountedDraw::CountedDraw(const std::vector<Index>& counts) : sums_(counts.size()) {
  std::partial_sum(counts.begin(), counts.end(), sums_.begin());
}

Index CountedDraw::operator()(RandomSource& random) const {
  return std::ranges::upper_bound(sums_, random.below(sums_.back())) - sums_.begin();
}

BigramStatistics statistics_of(std::string_view text) {
  const std::vector<std::string_view> all = units_of(text, Unit::character);
  std::map<std::string_view, std::size_t> numbers;
  for (const std::string_view character : all) {
    numbers.emplace(character, 0);
  }
  std::vector<std::string> characters;
  for (auto& [character, number] : numbers) {
    number = characters.size();
    characters.push_back(visible(character));
  }
  std::vector<Index> counts(characters.size());
  std::vector<std::vector<Index>> pairs(characters.size(), counts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t here = numbers.at(all[i]);
    ++counts[here];
    ++pairs[here][numbers.at(all[(i + 1) % all.size()])];
  }
  return {.characters = std::move(characters),
          .counts = counts,
          .unigrams = CountedDraw(counts),
          .followers = {pairs.begin(), pairs.end()}};
}

}  // namespace tapehead
