// A text as token ids: its documents one after another, each followed by an end mark. The ids are
// in a mapped file, so a text may be larger than the memory.
#pragma once

#include "core/files/files.hpp"
#include "core/memory/pool.hpp"
#include "core/random/draws.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Sizes of the text before it became tokens.
struct TextCounts {
  Index bytes = 0;  // line ends between lines count, separators do not
  Index words = 0;  // separated by white space
  UnknownText unknown{};
};

// The facts at the end of a file of tokens.
struct TextFacts {
  Index tokens = 0;
  Index width = 0;  // bytes per id
  Index documents = 0;
  TextCounts counts{};
};

class TokenText {
 public:
  // Maps and checks a file that `save` wrote. Throws IoError that names the file and the fault.
  explicit TokenText(const fs::path& file);

  Index size() const { return facts_.tokens; }  // tokens of all documents, end marks included
  TokenId operator[](Index i) const;
  void append_to(PoolVector<TokenId>& ids, Index first, Index count) const;

  Index documents() const { return facts_.documents; }
  Index begin_of(Index document) const;  // index of its first token; size() for documents()

  const TextCounts& counts() const { return facts_.counts; }
  std::string digest() const { return digest_; }  // of the whole file, hexadecimal
  void save(const fs::path& file) const;          // throws IoError

 private:
  friend class TokenTextWriter;
  TokenText(const OpenFile& file, const fs::path& shown_as);

  std::shared_ptr<const MappedFile> file_;
  const char* ids_ = nullptr;
  const char* begins_ = nullptr;
  TextFacts facts_;
  std::string digest_;
};

// Counts the documents of a file that `save` wrote, without reading the ids. Throws IoError.
Index documents_in(const fs::path& file);

// The file of a run that holds the text of a split as tokens.
inline fs::path token_file(const fs::path& run, std::string_view split) {
  return run / "tokens" / (std::string(split) + ".tokens");
}

inline bool has_token_files(const fs::path& run) {
  return fs::exists(status_of(token_file(run, "train")));
}

// Writes the tokens of a text into a file without a name.
class TokenTextWriter {
 public:
  // All ids must be below `vocabulary`. Every member throws IoError.
  explicit TokenTextWriter(Index vocabulary);

  void add(std::span<const TokenId> tokens);  // to the current document; begins one if necessary
  void end_document();                        // adds the end mark
  Index documents() const { return std::ssize(ends_); }
  TokenText finish(const TextCounts& counts);  // call it once, at the end

 private:
  void put(std::string_view bytes);
  void put_number(std::uint64_t number, std::size_t width);
  void flush();

  OpenFile file_;
  std::size_t width_;
  Index tokens_ = 0;
  std::vector<std::uint64_t> ends_;  // one past each document's end mark
  std::string block_;
  Hash hash_;
};

}  // namespace tapehead
