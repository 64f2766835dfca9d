#include "datasets/tokenizers/word_piece.hpp"

#include "core/text.hpp"
#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

namespace {

// For valid UTF-8, in which only the first byte of a character is not 10xxxxxx.
void remove_last_character(std::string& text) {
  while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
    text.pop_back();
  }
  text.pop_back();
}

// Training begins with the characters of the text and merges the most frequent pairs, as the
// package tokenizers does. Schuster and Nakajima (2012, "Japanese and Korean voice search") merge
// by the gain in likelihood instead, and their trainer is not public.

EntryCounts counts_of_words(std::span<const std::string> lines, const BasicWordOptions& options) {
  return counts_over_lines<EntryCounts>(std::ssize(lines), [&](EntryCounts& counts, std::size_t i) {
    for (const std::string& word : basic_words(lines[i], options)) {
      count_entry(word, counts);
    }
  });
}

// The characters of a word. All but the first have the prefix `goes_on`.
std::vector<std::string> characters_of_word(std::string_view word) {
  std::vector<std::string> characters;
  for (const std::string_view character : units_of(word, Unit::character)) {
    std::string& added = characters.emplace_back(characters.empty() ? "" : WordPiece::goes_on);
    added += character;
  }
  return characters;
}

// First all characters as beginnings of words, wherever they occurred, then the characters that
// continue words, both in the order of code points. If room is short, the most frequent stay.
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
  std::vector<std::string> kept(most.entries().begin(), most.entries().end());
  std::ranges::sort(kept, {}, [](const std::string& character) {
    return std::pair<bool, std::string_view>(character.starts_with(WordPiece::goes_on), character);
  });
  return kept;
}

// Leaves out words with a character that was not kept: they are unknown.
std::vector<CountedWord> known_words(const EntryCounts& words,
                                     const std::vector<std::string>& characters) {
  const Vocabulary kept(characters);
  std::vector<CountedWord> known;
  for (const auto& [word, count] : words) {
    const auto number_of = [&](const std::string& one) { return kept.id(one) - mark_count; };
    CountedWord counted{.tokens = mapped(characters_of_word(word), number_of), .count = count};
    if (std::ranges::find(counted.tokens, unknown_id - mark_count) == counted.tokens.end()) {
      known.push_back(std::move(counted));
    }
  }
  return known;
}

}  // namespace

WordPiece::WordPiece(std::vector<std::string> entries, const WordPieceOptions& options)
    : vocabulary_(std::move(entries)), options_(options) {
  for (const std::string& entry : vocabulary_.entries()) {
    if (entry.empty() || entry.find(line_end) != std::string::npos) {
      throw DataError("an entry is empty or contains a line end");
    }
  }
}

std::vector<TokenId> WordPiece::tokens_of_word(std::string_view word) const {
  if (std::ssize(units_of(word, Unit::character)) > options_.longest_word) {
    return {unknown_id};
  }
  std::vector<TokenId> tokens;
  while (!word.empty()) {
    std::string piece(tokens.empty() ? "" : goes_on);
    const std::size_t start = piece.size();
    piece += word;
    while (piece.size() > start && vocabulary_.id(piece) == unknown_id) {
      remove_last_character(piece);
    }
    if (piece.size() == start) {
      return {unknown_id};
    }
    tokens.push_back(vocabulary_.id(piece));
    word.remove_prefix(piece.size() - start);
  }
  return tokens;
}

std::vector<TokenId> WordPiece::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  for (const std::string& word : basic_words(text, options_.words)) {
    std::ranges::copy(tokens_of_word(word), std::back_inserter(tokens));
  }
  return tokens;
}

std::string WordPiece::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  bool any = false;
  for (const TokenId token : tokens) {
    if (token == begin_id || token == end_id) {
      continue;
    }
    const bool known = token >= mark_count && token < size();
    std::string_view entry = known ? std::string_view(vocabulary_.entry(token)) : unknown_mark_text;
    if (any && entry.starts_with(goes_on)) {
      entry.remove_prefix(goes_on.size());
    } else if (any && entry != "." && entry != "," && entry != "?" && entry != "!") {
      text += ' ';
    }
    text += entry;
    any = true;
  }
  return text;
}

std::vector<std::string> WordPiece::unknown_parts(std::string_view text) const {
  std::vector<std::string> unknown;
  for (std::string& word : basic_words(text, options_.words)) {
    if (tokens_of_word(word).front() == unknown_id) {
      unknown.push_back(std::move(word));
    }
  }
  return unknown;
}

// The first line of the file has the options: four letters y or n, and the longest word.
void WordPiece::save(const fs::path& stem) const {
  const BasicWordOptions& words = options_.words;
  std::string first;
  for (const bool option :
       {words.clean, words.chinese_characters, words.strip_accents, words.lower_case}) {
    first += option ? 'y' : 'n';
  }
  std::vector<std::string> lines{fmt::format("{} {}", first, options_.longest_word)};
  std::ranges::copy(vocabulary_.entries(), std::back_inserter(lines));
  save_vocabulary(lines, kind, stem);
}

WordPiece word_piece_of(const std::vector<std::string>& saved) {
  const std::string_view first = saved.empty() ? std::string_view() : saved.front();
  const bool begins_well = first.size() > 5 && first.find_first_not_of("yn") == 4;
  const auto longest_word = begins_well ? whole_number(first.substr(5)) : std::nullopt;
  if (!longest_word) {
    throw DataError("`{}` are no options of WordPiece", first);
  }
  const WordPieceOptions options{.words = {.clean = first[0] == 'y',
                                           .chinese_characters = first[1] == 'y',
                                           .strip_accents = first[2] == 'y',
                                           .lower_case = first[3] == 'y'},
                                 .longest_word = *longest_word};
  return {std::vector<std::string>(saved.begin() + 1, saved.end()), options};
}

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
