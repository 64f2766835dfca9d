// Trains a WordPiece: the characters of the text, and pairs that are merged by how often they
// occur, as the package tokenizers does. Schuster and Nakajima (2012, "Japanese and Korean voice
// search") merge by the gain in likelihood instead, and their trainer is not public.
#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "datasets/tokenizers/pair_training.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

namespace {

EntryCounts counts_of_words(std::span<const std::string> lines, const BasicWordOptions& options) {
  EntryCounts counts;
  std::mutex guard;
  for_line_ranges(std::ssize(lines), [&](Index first, Index last) {
    EntryCounts here;
    for (Index i = first; i < last; ++i) {
      for (const std::string& word : basic_words(lines[static_cast<std::size_t>(i)], options)) {
        count_entry(word, here);
      }
    }
    const std::scoped_lock lock(guard);
    for (const auto& [word, count] : here) {
      counts[word] += count;
    }
  });
  return counts;
}

// The characters of a word, all but the first with the prefix.
std::vector<std::string> characters_of_word(std::string_view word) {
  std::vector<std::string> characters;
  for (const std::string_view character : units_of(word, Unit::character)) {
    std::string& added = characters.emplace_back(characters.empty() ? "" : WordPiece::goes_on);
    added += character;
  }
  return characters;
}

// Each character as the first of a word, whether it was seen there or not, and then those that go
// on with one, both in the order of their code points. If there is no room for all, the most
// frequent ones are kept.
std::vector<std::string> kept_characters(const EntryCounts& words, Index room) {
  EntryCounts counts;
  for (const auto& [word, count] : words) {
    for (const std::string& character : characters_of_word(word)) {
      counts[character] += count;
      if (character.size() > WordPiece::goes_on.size() &&
          character.starts_with(WordPiece::goes_on)) {
        counts[character.substr(WordPiece::goes_on.size())] += count;
      }
    }
  }
  const Vocabulary most = most_frequent(counts, room + mark_count);
  std::vector<std::string> kept(most.entries().begin() + mark_count, most.entries().end());
  std::ranges::sort(kept, {}, [](const std::string& character) {
    return std::pair<bool, std::string_view>(character.starts_with(WordPiece::goes_on), character);
  });
  return kept;
}

// Words with a character that was not kept are unknown, and so they have no pairs.
std::vector<CountedWord> known_words(const EntryCounts& words,
                                     const std::vector<std::string>& characters) {
  const Vocabulary kept(characters);
  std::vector<CountedWord> known;
  for (const auto& [word, count] : words) {
    CountedWord counted{.tokens = {}, .count = count};
    for (const std::string& character : characters_of_word(word)) {
      counted.tokens.push_back(kept.id(character) - mark_count);
    }
    if (std::ranges::find(counted.tokens, unknown_id - mark_count) == counted.tokens.end()) {
      known.push_back(std::move(counted));
    }
  }
  return known;
}

}  // namespace

WordPiece train_word_piece(std::span<const std::string> lines, Index vocabulary,
                           const WordPieceOptions& options) {
  const Index room = vocabulary - mark_count;
  const EntryCounts words = counts_of_words(lines, options.words);
  std::vector<std::string> characters = kept_characters(words, room);
  std::vector<CountedWord> known = known_words(words, characters);
  return {train_pairs(std::move(characters), std::move(known), WordPiece::goes_on, room).entries,
          options};
}

}  // namespace tapehead
