#include "core/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// A name that no living process uses. A file left by an earlier process is overwritten.
fs::path unused_name(const fs::path& destination) {
  static std::atomic<int> count = 0;
  return fmt::format("{}.{}-{}{}", destination.string(), ::getpid(), count++, temporary_suffix);
}

// A rename is only on the disk once its directory is synced.
void sync_directory_of(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const OpenFile opened(directory, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a directory, and return EINVAL.
  if (::fsync(opened.descriptor()) != 0 && errno != EINVAL) {
    throw io_error("write", directory, errno);
  }
}

// Renaming would replace a device, or a pipe that somebody reads.
void require_replaceable(const fs::path& destination) {
  std::error_code ignored;
  const fs::file_status status = fs::status(destination, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError(fmt::format("cannot write {}: it is not a regular file", destination.string()));
  }
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& destination)
    : destination_(destination), path_(unused_name(destination)), file_(create()) {}

AtomicFile::~AtomicFile() {
  if (!in_place_) {
    ::unlink(path_.c_str());
  }
}

OpenFile AtomicFile::create() const {
  require_replaceable(destination_);
  return {path_, O_WRONLY | O_CREAT | O_TRUNC, destination_};
}

void AtomicFile::put_in_place() {
  file_.sync();
  file_.close();
  if (std::rename(path_.c_str(), destination_.c_str()) != 0) {
    throw io_error("write", destination_, errno);
  }
  in_place_ = true;
  sync_directory_of(destination_);
}

}  // namespace tapehead
