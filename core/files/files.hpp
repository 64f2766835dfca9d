// Files: opened, with errors that name them, mapped into memory, read as a whole, and written
// atomically: after a write the file is complete, or it is as before. And directories.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The error for a value of errno: "cannot write runs/copy/log.txt: No space left on device".
IoError io_error(std::string_view verb, const std::filesystem::path& path, int code);

// What is at a path, or where a link there leads; nothing if that cannot be known.
std::filesystem::file_status status_of(const std::filesystem::path& path);
std::filesystem::file_status link_status_of(const std::filesystem::path& path);  // of a link itself

// Removes a file, a link or an empty directory, if that is possible.
void remove_if_possible(const std::filesystem::path& path);

class OpenFile {
 public:
  // `flags` as open(2) takes them; `shown_as` is the name that errors give. Throws IoError.
  OpenFile(const std::filesystem::path& path, int flags);
  OpenFile(const std::filesystem::path& path, int flags, std::filesystem::path shown_as);
  OpenFile(int descriptor, std::filesystem::path shown_as);  // takes over an open descriptor
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  void write(std::string_view bytes);  // all of them
  // Over what is there from byte `offset` on; the next write() goes on where the last one ended.
  void write_at(std::size_t offset, std::string_view bytes);
  std::size_t size() const;  // bytes; 0 for a pipe, and in /proc
  std::string read_to_end();
  void sync();   // returns when the file is on the disk
  void close();  // throws for errors that the destructor would ignore

 private:
  std::filesystem::path shown_as_;
  int descriptor_ = -1;
};

// A new file for reading and writing without a name, so it is gone when it is closed, however the
// process ends. It is in $TMPDIR or, since it may be large, in /var/tmp. Throws IoError.
OpenFile nameless_file();

// A file whose bytes are mapped into memory: pages are read when they are used, and the system may
// drop them again.
class MappedFile {
 public:
  // Throws IoError. The file may be closed, renamed or removed afterwards, but not shortened.
  MappedFile(const OpenFile& file, const std::filesystem::path& shown_as);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  std::size_t size_;
};

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
