#include "datasets/task_making.hpp"

#include <string>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

Tokenizers kept_tokenizers(const std::filesystem::path& directory,
                           const std::function<Tokenizers()>& make) {
  if (directory.empty()) {
    return make();
  }
  if (has_tokenizers(directory)) {
    return load_tokenizers(directory);
  }
  Tokenizers made = make();
  save_tokenizers(made, directory);
  return made;
}

Tokenizers kept_joint_tokenizer(const std::filesystem::path& directory,
                                const std::shared_ptr<const Tokenizer>& expected) {
  Tokenizers kept = kept_tokenizers(
      directory, [&] { return Tokenizers{.source = expected, .target = expected}; });
  if (kept.source->size() != expected->size() || kept.target->size() != expected->size()) {
    throw IoError(
        fmt::format("{} contains the tokenizer of another task: {} entries, but this task has {}; "
                    "leave the options of the task as they were, or start another run from its "
                    "weights: --set model.init_from={} --run DIR",
                    directory.string(), kept.source->size(), expected->size(), directory.string()));
  }
  return kept;
}

std::string_view split_of(std::uint64_t hash) {
  const std::uint64_t percent = hash % 100;
  if (percent < 80) {
    return "train";
  }
  return percent < 90 ? "validation" : "test";
}

void collect(Index count, std::string_view complaint, const std::function<bool(Index)>& attempt) {
  constexpr Index most_misses = 10000;
  Index misses = 0;
  for (Index found = 0, attempts = 0; found < count; ++attempts) {
    if (attempt(attempts)) {
      ++found;
      misses = 0;
    } else if (++misses == most_misses) {
      throw DataError(std::string(complaint));
    }
  }
}

}  // namespace tapehead
