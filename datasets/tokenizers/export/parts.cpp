#include "datasets/tokenizers/export/parts.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/utf8.hpp"

namespace tapehead {

namespace {

void expect_text(std::string_view entry) {
  if (utf8_valid_bytes(entry) != entry.size()) {
    throw DataError(fmt::format(
        "the entry {} is no UTF-8, and so it cannot be written for other programs", shown(entry)));
  }
}

}  // namespace

std::vector<std::string> without_marks(const Vocabulary& vocabulary) {
  return {vocabulary.entries().begin() + mark_count, vocabulary.entries().end()};
}

// The entries are appended without the search for a key that would make it quadratic.
Json ids_of(const MarkTexts& marks, std::span<const std::string> entries) {
  Json::object_t ids;
  ids.reserve(entries.size() + static_cast<std::size_t>(mark_count));
  for (const std::string& mark : {marks.unknown, marks.begin, marks.end}) {
    ids.emplace_back(mark, ids.size());
  }
  for (const std::string& entry : entries) {
    expect_text(entry);
    ids.emplace_back(entry, ids.size());
  }
  return ids;
}

Json bpe_model(const MarkTexts& marks, std::span<const std::string> entries, Json merges) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", marks.unknown},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", ids_of(marks, entries)},
          {"merges", std::move(merges)}};
}

Json byte_level(bool chunks) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", chunks}};
}

Json sequence_of(const char* name, Json steps) {
  return {{"type", "Sequence"}, {name, std::move(steps)}};
}

Json replace_text(std::string_view text, std::string_view by) {
  return {{"type", "Replace"}, {"pattern", {{"String", text}}}, {"content", by}};
}

Json replace_pattern(std::string_view regex, std::string_view by) {
  return {{"type", "Replace"}, {"pattern", {{"Regex", regex}}}, {"content", by}};
}

Json split_at(Json pattern, const char* behavior) {
  return {{"type", "Split"},
          {"pattern", std::move(pattern)},
          {"behavior", behavior},
          {"invert", false}};
}

}  // namespace tapehead
