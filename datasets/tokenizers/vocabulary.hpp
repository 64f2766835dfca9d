// Vocabulary: the list of a tokenizer's entries, their ids, and their file. Tokenizers with such a
// plain list: words that are separated by white space, characters, or bytes; and one of class
// labels, each a whole text.
#pragma once

#include <unordered_map>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

// How often each entry was seen.
using EntryCounts = std::unordered_map<std::string, Index, TextHash, std::equal_to<>>;

void count_entry(std::string_view entry, EntryCounts& counts);  // one more of it

class Vocabulary {
 public:
  // The entries that follow the marks, in order, all different. None contains a line end, unless it
  // is the line end alone.
  explicit Vocabulary(std::vector<std::string> entries);

  Index size() const { return static_cast<Index>(entries_.size()); }  // marks included
  TokenId id(std::string_view entry) const;                           // unknown_id when absent
  const std::string& entry(TokenId id) const;                         // "<unk>" when out of range
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;  // including the marks, which come first
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> ids_;
};

// The most frequent entries, of equals the lexicographically first: at most `limit` with the marks.
Vocabulary most_frequent(const EntryCounts& counts, Index limit);

// What the names of their files end in.
inline constexpr std::string_view vocabulary_suffix = ".vocabulary";

// The file format: a line with `kind`, the number of entries and a checksum; then each entry on its
// own line. An empty line stands for the line end.
void save_vocabulary(const Vocabulary& vocabulary, std::string_view kind,
                     const std::filesystem::path& file);

struct SavedVocabulary {
  std::string kind;
  Vocabulary vocabulary;
};

// Throws IoError if the file is missing, damaged or of another format.
SavedVocabulary load_vocabulary(const std::filesystem::path& file);

enum class Unit { word, character, byte };

// The units of a text, in order: its parts between ASCII white space, where a line end is a part of
// its own; its UTF-8 characters (an invalid byte counts as one); or its bytes.
std::vector<std::string_view> units_of(std::string_view text, Unit unit);

void count_units(std::string_view text, Unit unit, EntryCounts& counts);

// The most frequent units of the lines: at most `limit` entries, including the marks.
Vocabulary count_units(std::span<const std::string> lines, Unit unit, Index limit);

Vocabulary all_bytes();

class VocabularyTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view suffix = vocabulary_suffix;

  VocabularyTokenizer(Vocabulary vocabulary, Unit unit);

  Index size() const override { return vocabulary_.size(); }
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const std::filesystem::path& stem) const override;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  Unit unit() const { return unit_; }

 private:
  Vocabulary vocabulary_;
  Unit unit_;
};

// Entries with a number, from `first` on: "k0", "k1", ...
struct NumberedEntries {
  std::string_view format;  // {} stands for the number
  Index count;
  Index first = 0;
};

// A tokenizer for words that are such entries, in the order given: number n of all of them has the
// id entry_id(n).
std::shared_ptr<const Tokenizer> numbered_tokenizer(std::initializer_list<NumberedEntries> all);

// The unit with this name in the files of vocabularies: "word", "character" or "byte".
std::optional<Unit> unit_named(std::string_view name);

class ClassTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view kind = "class";

  // Without duplicates.
  explicit ClassTokenizer(std::vector<std::string> classes);

  Index size() const override { return std::ssize(classes_); }
  // The number of the class; nothing if there is no such class.
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const std::filesystem::path& stem) const override;

  const std::vector<std::string>& classes() const { return classes_; }

 private:
  std::vector<std::string> classes_;
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> numbers_;
};

}  // namespace tapehead
