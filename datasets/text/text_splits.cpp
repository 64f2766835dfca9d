#include "datasets/text/text_splits.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// Empty for a split that has a share of the training text.
const std::string& own_pattern(const TextOptions& options, std::string_view split) {
  return split == "test"         ? options.test_text
         : split == "validation" ? options.validation_text
                                 : options.train_text;
}

// From which byte on a split has the training text, if it has no file of its own.
double begin_of(const TextOptions& options, std::string_view split) {
  const double test = options.test_text.empty() ? 1 - options.test_share : 1;
  const double validation =
      options.validation_text.empty() ? test - options.validation_share : test;
  return split == "train" ? 0 : split == "validation" ? validation : test;
}

// The text is read several times.
void expect_files(const std::vector<fs::path>& paths, const std::string& option) {
  for (const fs::path& path : paths) {
    expect_file(path, option);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
      throw IoError(fmt::format("{}: cannot read {}: it is not a file", option, path.string()));
    }
  }
}

}  // namespace

DocumentFiles TextSplits::of(std::string_view split) {
  const bool own = split != "train" && !own_pattern(options_, split).empty();
  const std::string& pattern = own ? own_pattern(options_, split) : options_.train_text;
  DocumentFiles files{.paths = matching_files(pattern),
                      .name = pattern,
                      .split = std::string(split),
                      .end = options_.documents,
                      .separator = options_.separator};
  expect_files(files.paths, fmt::format("task.{}_text", own ? split : "train"));
  if (!own) {
    files.share = share_of(split, files);
  }
  return files;
}

TextShare TextSplits::share_of(std::string_view split, const DocumentFiles& all) {
  const std::string_view next = split == "train" ? "validation" : "test";
  const bool to_the_end = split == "test" || begin_of(options_, next) >= 1;
  if (split == "train" && to_the_end) {
    return {};
  }
  if (!bytes_) {
    bytes_ = static_cast<double>(bytes_in(all));
  }
  TextShare share{.from = static_cast<Index>(*bytes_ * begin_of(options_, split))};
  if (!to_the_end) {
    share.to = static_cast<Index>(*bytes_ * begin_of(options_, next));
  }
  return share;
}

}  // namespace tapehead
