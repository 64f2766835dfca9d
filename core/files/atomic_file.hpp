// A file that is written piece by piece and appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/files/open_file.hpp"

namespace tapehead {

// The ending of temporary files. One whose writer no longer runs was left by a killed process.
inline constexpr std::string_view temporary_suffix = ".tmp";

// Whatever happens, even a power loss, `destination` then holds either the old content or the new.
// The content is written to a temporary file beside it, synced and renamed. Every member throws
// IoError; a file that is not put in place is removed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& destination);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes) { file_.write(bytes); }
  void write_at(std::size_t offset, std::string_view bytes) { file_.write_at(offset, bytes); }
  void put_in_place();

 private:
  OpenFile create() const;

  std::filesystem::path destination_;
  std::filesystem::path path_;
  OpenFile file_;
  bool in_place_ = false;
};

// A file or directory that was made or renamed is only on the disk once the directory that it is in
// is synced. Throws IoError.
void sync_directory_of(const std::filesystem::path& path);

}  // namespace tapehead
