// Opens, reads, maps and atomically writes files, and handles directories. Errors name the file.
// After an atomic write the file is either complete or as before.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// An IoError whose reason is the system's, and not what a file holds.
struct SystemError : IoError {
  using IoError::IoError;
};

// The error for a value of errno: "cannot write runs/copy/log.txt: No space left on device".
SystemError io_error(std::string_view verb, const fs::path& path, int code);

// The status of a path, following links. Throws IoError if the system does not tell it, which does
// not mean that there is no file.
fs::file_status status_of(const fs::path& path);
fs::file_status link_status_of(const fs::path& path);  // of the link

// Removes a file, a link or an empty directory, if that is possible.
void remove_if_possible(const fs::path& path);

class OpenFile {
 public:
  // `flags` as open(2) takes them; `shown_as` is the name that errors give. Throws IoError.
  OpenFile(const fs::path& path, int flags);
  OpenFile(const fs::path& path, int flags, fs::path shown_as);
  OpenFile(int descriptor, fs::path shown_as);  // takes over an open descriptor
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  void write(std::string_view bytes);  // all bytes
  // Overwrites from byte `offset` on. The next write() continues where the last write() ended.
  void write_at(std::size_t offset, std::string_view bytes);
  std::size_t size() const;  // bytes; 0 for a pipe, and in /proc
  std::string read_to_end();
  void sync();   // returns when the file is on the disk
  void close();  // throws for errors that the destructor would ignore

 private:
  fs::path shown_as_;
  int descriptor_ = -1;
};

// A new file without a name, open for reading and writing. It is gone when it is closed, however
// the process ends. It is in $TMPDIR or, since it may be large, in /var/tmp. Throws IoError.
OpenFile nameless_file();

// A file whose bytes are mapped into memory: pages are read when they are used, and the system may
// drop them again.
class MappedFile : NotCopied {
 public:
  // Throws IoError. The file may be closed, renamed or removed afterwards, but not shortened.
  MappedFile(const OpenFile& file, const fs::path& shown_as);
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  std::size_t size_;
};

// The ending of temporary files. Those without a running writer were left by killed processes.
inline constexpr std::string_view temporary_suffix = ".tmp";

// A file that is written piece by piece to a temporary file, which put_in_place() syncs and
// renames. Whatever happens, even a power loss, `destination` holds the old content or the new
// content. Every member throws IoError. A file that is not put in place is removed.
class AtomicFile : NotCopied {
 public:
  explicit AtomicFile(const fs::path& destination);
  ~AtomicFile();

  void write(std::string_view bytes) { file_.write(bytes); }
  void write_at(std::size_t offset, std::string_view bytes) { file_.write_at(offset, bytes); }
  void put_in_place();

 private:
  fs::path destination_;
  fs::path path_;
  OpenFile file_;
  bool in_place_ = false;
};

// Syncs the directory of `path`, so that a new or renamed entry is on the disk. Throws IoError.
void sync_directory_of(const fs::path& path);

// The size limit of config, vocabulary and JSON files: larger than any real one.
inline constexpr std::size_t most_settings_bytes = std::size_t{1} << 30;

// The content of a file. Throws IoError, also for a file of more than `most` bytes before memory is
// taken.
std::string read_file(const fs::path& path,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes a file atomically. Throws IoError, and leaves no temporary file behind.
void write_file_atomically(const fs::path& path, std::string_view content);

// Makes a directory and its missing parents. Throws IoError.
void make_directories(const fs::path& path);

// Removes the temporary files that killed processes left in a directory.
void remove_temporary_files(const fs::path& directory);

// The paths of the entries, in no particular order. Throws IoError that names the directory.
// (std::filesystem iterators do not name it if reading fails in the middle.)
std::vector<fs::path> entries_of(const fs::path& directory);

}  // namespace tapehead
