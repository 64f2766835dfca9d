#include "lab/sweep/shared_directory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/ranks/sharing.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// A file of the first rank. Its name holds a random word, so no rank has looked for it before: file
// systems of networks remember for a while that a file was not there.
class SharedFile {
 public:
  SharedFile(Ranks& ranks, const fs::path& directory)
      : word_(value_of_first(ranks, random_word())),
        path_(directory / fmt::format(".shared-{:016x}{}", word_, temporary_suffix)),
        first_(ranks.first()) {
    if (first_) {
      write_file_atomically(path_, text());
    }
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    std::error_code ignored;
    if (first_) {
      fs::remove(path_, ignored);
    }
  }

  bool is_seen() const {
    try {
      return read_file(path_) == text();
    } catch (const IoError&) {
      return false;
    }
  }

 private:
  static std::uint64_t random_word() {
    std::random_device source;
    return (std::uint64_t{source()} << 32U) | source();
  }
  std::string text() const { return fmt::format("{}\n", word_); }

  std::uint64_t word_;
  fs::path path_;
  bool first_;
};

}  // namespace

void expect_shared(Ranks& ranks, const fs::path& directory) {
  if (ranks.count() == 1) {
    return;
  }
  const SharedFile file(ranks, directory);
  value_of_first(ranks, true);  // the file is written
  const std::vector<char> seen = share_values(ranks, static_cast<char>(file.is_seen()));
  std::string blind;
  for (std::size_t rank = 0; rank < seen.size(); ++rank) {
    if (seen[rank] == 0) {
      blind += (blind.empty() ? "" : ", ") + ranks.name(static_cast<Index>(rank));
    }
  }
  if (!blind.empty()) {
    throw IoError(fmt::format(
        "a sweep needs a directory that all ranks share, but {} cannot see what rank 0 writes into "
        "{}; choose a directory that all machines share with --run DIR",
        blind, text_of_first(ranks, fs::absolute(directory).string())));
  }
}

}  // namespace tapehead
