#include "core/files/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/open_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// A new file beside `destination`. It is removed again unless it is renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& destination)
      : destination_(destination), path_(unused_name(destination)), file_(create()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!in_place_) {
      ::unlink(path_.c_str());
    }
  }

  void write(std::string_view bytes) { file_.write(bytes); }

  void put_in_place() {
    file_.sync();
    file_.close();
    if (std::rename(path_.c_str(), destination_.c_str()) != 0) {
      throw io_error("write", destination_, errno);
    }
    in_place_ = true;
  }

 private:
  // A name that no living process uses. A file left by an earlier process is overwritten.
  static fs::path unused_name(const fs::path& destination) {
    static std::atomic<int> count = 0;
    return fmt::format("{}.{}-{}{}", destination.string(), ::getpid(), count++, temporary_suffix);
  }

  OpenFile create() const { return {path_, O_WRONLY | O_CREAT | O_TRUNC, destination_}; }

  fs::path destination_;
  fs::path path_;
  OpenFile file_;
  bool in_place_ = false;
};

// A rename is only on the disk once its directory is synced.
void sync_directory_of(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const OpenFile opened(directory, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a directory, and return EINVAL.
  if (::fsync(opened.descriptor()) != 0 && errno != EINVAL) {
    throw io_error("write", directory, errno);
  }
}

}  // namespace

std::string read_file(const fs::path& path) { return OpenFile(path, O_RDONLY).read_to_end(); }

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::span(&content, 1));
}

void write_file_atomically(const fs::path& path, std::span<const std::string_view> pieces) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError(fmt::format("cannot write {}: it is not a regular file", path.string()));
  }
  TemporaryFile temporary(path);
  for (const std::string_view piece : pieces) {
    temporary.write(piece);
  }
  temporary.put_in_place();
  sync_directory_of(path);
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw io_error("create", path, error.value());
  }
}

void remove_temporary_files(const fs::path& directory) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().filename().string().ends_with(temporary_suffix)) {
      fs::remove(entry.path(), error);
    }
  }
}

}  // namespace tapehead
