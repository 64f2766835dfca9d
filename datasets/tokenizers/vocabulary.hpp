// Vocabulary: the list of a tokenizer's entries, their ids, and their file.
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

}  // namespace tapehead
