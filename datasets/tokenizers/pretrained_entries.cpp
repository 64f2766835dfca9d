#include "datasets/tokenizers/pretrained_entries.hpp"

#include <array>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr Index no_file_id = -1;

constexpr std::array<std::string_view, 2> unknown_names{"<unk>", "[UNK]"};
constexpr std::array<std::string_view, 3> begin_names{"<s>", "[CLS]", "<|endoftext|>"};
constexpr std::array<std::string_view, 3> end_names{"</s>", "[SEP]", "<|endoftext|>"};
constexpr std::array<std::string_view, 2> mask_names{"<mask>", "[MASK]"};

// Of the first name that is an entry.
Index id_of(const FileVocabulary& vocabulary, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto found = vocabulary.find(std::string(name)); found != vocabulary.end()) {
      return found->second;
    }
  }
  return no_file_id;
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

PretrainedEntries renumbered(const FileVocabulary& vocabulary) {
  std::map<Index, std::string_view> entries = by_id(vocabulary);
  PretrainedEntries result;
  result.file_ids = {id_of(vocabulary, unknown_names), id_of(vocabulary, begin_names),
                     id_of(vocabulary, end_names)};
  for (const Index mark : result.file_ids) {
    entries.erase(mark);
  }
  if (const Index mask = id_of(vocabulary, mask_names); mask != no_file_id) {
    result.mask = mask;
    entries.erase(mask);
  }
  for (const auto& [id, entry] : entries) {
    result.entries.emplace_back(entry);
    result.file_ids.push_back(id);
  }
  return result;
}

}  // namespace tapehead
