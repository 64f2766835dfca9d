#include "interchange/tokenizers/pretrained_entries.hpp"

#include <array>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr std::array<std::string_view, 2> unknown_names{"<unk>", "[UNK]"};
constexpr std::array<std::string_view, 7> begin_names{
    "<s>", "[CLS]", "[BOS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>"};
constexpr std::array<std::string_view, 6> end_names{"</s>",  "[SEP]",           "[EOS]",
                                                    "<eos>", "<|end_of_text|>", "<|endoftext|>"};
constexpr std::array<std::string_view, 2> mask_names{"<mask>", "[MASK]"};

// Of the first name that is an entry.
std::optional<Index> id_of(const FileVocabulary& vocabulary,
                           std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto found = vocabulary.find(std::string(name)); found != vocabulary.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

std::map<Index, std::string_view> by_id(const FileVocabulary& vocabulary) {
  std::map<Index, std::string_view> entries;
  for (const auto& [entry, id] : vocabulary) {
    const auto [at, inserted] = entries.emplace(id, entry);
    if (!inserted) {
      throw DataError(fmt::format("`{}` and `{}` have the same id, {}", at->second, entry, id));
    }
  }
  return entries;
}

}  // namespace

FileMarks marks_by_name(const FileVocabulary& vocabulary) {
  return {.unknown = id_of(vocabulary, unknown_names),
          .begin = id_of(vocabulary, begin_names),
          .end = id_of(vocabulary, end_names),
          .mask = id_of(vocabulary, mask_names)};
}

PretrainedEntries renumbered(const FileVocabulary& vocabulary, const FileMarks& marks) {
  std::map<Index, std::string_view> entries = by_id(vocabulary);
  PretrainedEntries result{
      .entries = {},
      .file_ids = {marks.unknown.value_or(-1), marks.begin.value_or(-1), marks.end.value_or(-1)},
      .mask = marks.mask};
  for (const Index mark : result.file_ids) {
    entries.erase(mark);
  }
  entries.erase(marks.mask.value_or(-1));
  for (const auto& [id, entry] : entries) {
    result.entries.emplace_back(entry);
    result.file_ids.push_back(id);
  }
  return result;
}

}  // namespace tapehead
