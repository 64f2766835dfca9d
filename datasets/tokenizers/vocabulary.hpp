// Vocabularies: the entries of a tokenizer, their ids and their file. Also the tokenizers whose
// entries are words at white space, characters or bytes, and the tokenizer of class labels.
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

void count_entry(std::string_view entry, EntryCounts& counts);  // counts it once more

class Vocabulary {
 public:
  // `entries` follow the marks, in order, and are all different. No entry contains a line end,
  // except an entry that is the line end.
  explicit Vocabulary(std::vector<std::string> entries);

  Index size() const { return std::ssize(entries_); }  // marks included
  TokenId id(std::string_view entry) const;            // unknown_id when absent
  const std::string& entry(TokenId id) const;          // "<unk>" when out of range
  // Without the marks.
  std::span<const std::string> entries() const { return std::span(entries_).subspan(mark_count); }

 private:
  std::vector<std::string> entries_;  // including the marks, which come first
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> ids_;
};

// The most frequent entries, at most `limit` with the marks. Ties are in lexicographic order.
Vocabulary most_frequent(const EntryCounts& counts, Index limit);

inline constexpr std::string_view vocabulary_suffix = ".vocabulary";

// Writes the file `stem` + vocabulary_suffix: a line with `kind`, the number of entries and a
// checksum; then each entry on its own line. An empty line stands for the line end.
void save_vocabulary(std::span<const std::string> entries, std::string_view kind, fs::path stem);

// The kind and the entries. Throws IoError if the file is missing, damaged or of another format.
std::pair<std::string, std::vector<std::string>> load_vocabulary(const fs::path& file);

enum class Unit { word, character, byte };
constexpr ValueNames<3> value_names(Unit) { return {"word", "character", "byte"}; }  // in files

// The unit into which this kind of tokenizer cuts a text; nullopt if its entries are subwords.
inline std::optional<Unit> unit_of(std::string_view kind) {
  const auto& names = EnumNames<Unit>::names;
  const auto* const found = std::ranges::find(names, kind);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<Unit>(found - names.begin()));
}

// The units of a text, in order. Words: the parts between ASCII white space, and each line end.
// Characters: in UTF-8; an invalid byte counts as one. Bytes: every byte.
std::vector<std::string_view> units_of(std::string_view text, Unit unit);

void count_units(std::string_view text, Unit unit, EntryCounts& counts);

// The most frequent units of the lines: at most `limit` entries, including the marks.
Vocabulary count_units(std::span<const std::string> lines, Unit unit, Index limit);

Vocabulary all_bytes();

class VocabularyTokenizer : public Tokenizer {
 public:
  VocabularyTokenizer(Vocabulary vocabulary, Unit unit)
      : vocabulary_(std::move(vocabulary)), unit_(unit) {}

  Index size() const override { return vocabulary_.size(); }
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const fs::path& stem) const override {
    save_vocabulary(vocabulary_.entries(), name_of(unit_), stem);
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  Unit unit() const { return unit_; }

 private:
  Vocabulary vocabulary_;
  Unit unit_;
};

// Numbered entries, from `first` on: "k0", "k1", ...
struct NumberedEntries {
  std::string_view format;  // {} stands for the number
  Index count;
  Index first = 0;
};

// A tokenizer for words that are these numbered entries, in the order given. Entry n of all has the
// id entry_id(n).
std::shared_ptr<const Tokenizer> numbered_tokenizer(std::initializer_list<NumberedEntries> all);

class ClassTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view kind = "class";

  // `classes` has no duplicates.
  explicit ClassTokenizer(std::vector<std::string> classes) : classes_(std::move(classes)) {}

  Index size() const override { return classes_.size() - mark_count; }
  // The number of the class; empty if there is no such class.
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override { return classes_.entry(mark_count + token); }
  void save(const fs::path& stem) const override {
    save_vocabulary(classes_.entries(), kind, stem);
  }

 private:
  Vocabulary classes_;  // class n is entry n after the marks
};

}  // namespace tapehead
