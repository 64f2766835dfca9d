// Reads whole files and directories, and writes files atomically: after a write the file is
// complete, or it is as before.
#pragma once

#include "core/files/open_file.hpp"

namespace tapehead {

// The ending of temporary files. One whose writer no longer runs was left by a killed process.
inline constexpr std::string_view temporary_suffix = ".tmp";

// A file that is written piece by piece. Whatever happens, even a power loss, `destination` then
// holds either the old content or the new: the content is written to a temporary file beside it,
// synced and renamed. Every member throws IoError; a file that is not put in place is removed.
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
  std::filesystem::path destination_;
  std::filesystem::path path_;
  OpenFile file_;
  bool in_place_ = false;
};

// A file or directory that was made or renamed is only on the disk once the directory that it is in
// is synced. Throws IoError.
void sync_directory_of(const std::filesystem::path& path);

// More than any config, vocabulary or JSON file has.
inline constexpr std::size_t most_settings_bytes = std::size_t{1} << 30;

// The content of a file. Throws IoError; for more than `most` bytes before it takes memory for
// them.
std::string read_file(const std::filesystem::path& path,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes a file atomically. Throws IoError, and leaves no temporary file behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Makes a directory and its parents where they are missing. Throws IoError.
void make_directories(const std::filesystem::path& path);

// Removes the temporary files that killed processes left in a directory.
void remove_temporary_files(const std::filesystem::path& directory);

// The paths of the entries, in no particular order. Throws IoError that names the directory, unlike
// the iterators of std::filesystem if reading fails in the middle.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);

}  // namespace tapehead
