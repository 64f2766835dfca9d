// Words, characters and bytes in tokenizer.json.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "datasets/tokenizers/byte_characters.hpp"
#include "datasets/tokenizers/export/parts.hpp"

namespace tapehead {

namespace {

constexpr std::string_view space_in_line = "[ \\t\\x0B\\f\\r]";  // what `units_of` cuts words at
constexpr std::string_view no_space = "[^ \\t\\n\\x0B\\f\\r]";

// A word of a text that is spelled like the begin or the end mark is unknown. The vocabulary has
// the marks as words, so the word is replaced by the unknown mark before it is looked up.
Json without_spelled_marks(const MarkTexts& marks) {
  return replace_pattern(fmt::format("(?<!{0})({1}|{2})(?!{0})", no_space, marks.begin, marks.end),
                         marks.unknown);
}

// The decoder of type WordPiece puts a space before each word but the first, unless the word begins
// with the prefix; none begins with a space. A line end has no spaces around it.
Json words_with_spaces() {
  return sequence_of("decoders", {{{"type", "WordPiece"}, {"prefix", " "}, {"cleanup", false}},
                                  {{"type", "Fuse"}},
                                  replace_text(" \n", "\n"),
                                  replace_text("\n ", "\n")});
}

TokenizerParts words_in_json(const std::vector<std::string>& entries) {
  TokenizerParts parts{
      .marks = apart_from(entries, {}),
      .normalizer = {},
      .pre_tokenizer = sequence_of(
          "pretokenizers", {split_at({{"Regex", fmt::format("{}+", space_in_line)}}, "Removed"),
                            split_at({{"String", line_end}}, "Isolated")}),
      .model = {},
      .decoder = words_with_spaces()};
  parts.normalizer = without_spelled_marks(parts.marks);
  parts.model = {{"type", "WordLevel"},
                 {"vocab", ids_of(parts.marks, entries)},
                 {"unk_token", parts.marks.unknown}};
  return parts;
}

// BPE without merges leaves a text as its characters.
TokenizerParts characters_in_json(const std::vector<std::string>& entries) {
  const MarkTexts marks = apart_from(entries, {});
  return {.marks = marks,
          .normalizer = {},
          .pre_tokenizer = {},
          .model = bpe_model(marks, entries, Json::array()),
          .decoder = {{"type", "Fuse"}}};
}

// A byte is written as its byte character.
TokenizerParts bytes_in_json(std::vector<std::string> entries) {
  std::ranges::transform(entries, entries.begin(),
                         [](const std::string& byte) { return spelled_bytes(byte); });
  TokenizerParts parts = characters_in_json(entries);
  parts.pre_tokenizer = byte_level(false);
  parts.decoder = byte_level(false);
  return parts;
}

}  // namespace

TokenizerParts parts_of(const VocabularyTokenizer& tokenizer) {
  std::vector<std::string> entries = without_marks(tokenizer.vocabulary());
  switch (tokenizer.unit()) {
    case Unit::word:
      return words_in_json(entries);
    case Unit::character:
      return characters_in_json(entries);
    case Unit::byte:
      break;
  }
  return bytes_in_json(std::move(entries));
}

}  // namespace tapehead
