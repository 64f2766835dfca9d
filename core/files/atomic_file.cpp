#include "core/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// A name that nobody can know in advance, and occupy with a link or a file.
fs::path unused_name(const fs::path& destination) {
  std::random_device source;
  return fmt::format("{}.{:08x}{:08x}{}", destination.string(), source(), source(),
                     temporary_suffix);
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

void sync_directory_of(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const OpenFile opened(directory, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a directory, and return EINVAL.
  if (::fsync(opened.descriptor()) != 0 && errno != EINVAL) {
    throw io_error("write", directory, errno);
  }
}

AtomicFile::AtomicFile(const fs::path& destination)
    : destination_(destination), path_(unused_name(destination)), file_(create()) {}

AtomicFile::~AtomicFile() {
  if (!in_place_) {
    ::unlink(path_.c_str());
  }
}

OpenFile AtomicFile::create() const {
  require_replaceable(destination_);
  return {path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, destination_};
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
