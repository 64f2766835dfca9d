#include "core/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace tapehead {

namespace fs = std::filesystem;

namespace {

// A name that nobody can know in advance, and occupy with a link or a file.
fs::path unused_name(const fs::path& destination) {
  std::random_device source;
  return fmt::format("{}.{:08x}{:08x}{}", destination.string(), source(), source(),
                     temporary_suffix);
}

// Renaming it would replace a device, or a pipe that somebody reads.
OpenFile temporary_file(const fs::path& path, const fs::path& destination) {
  const fs::file_status status = status_of(destination);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError(fmt::format("cannot write {}: it is not a regular file", destination.string()));
  }
  return {path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, destination};
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
    : destination_(destination),
      path_(unused_name(destination)),
      file_(temporary_file(path_, destination)) {}

AtomicFile::~AtomicFile() {
  if (!in_place_) {
    ::unlink(path_.c_str());
  }
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

std::string read_file(const fs::path& path, std::size_t most) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK);
  if (const std::size_t size = file.size(); size > most) {
    throw IoError(
        fmt::format("{} has {} bytes; such a file has at most {}", path.string(), size, most));
  }
  return file.read_to_end();
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.put_in_place();
}

void make_directories(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> made;
  for (fs::path part = path; !part.empty() && !fs::exists(part, error); part = part.parent_path()) {
    made.push_back(part);
  }
  fs::create_directories(path, error);
  if (error) {
    throw io_error("create", path, error.value());
  }
  std::ranges::for_each(made, sync_directory_of);
}

void remove_temporary_files(const fs::path& directory) {
  if (!fs::is_directory(status_of(directory))) {
    return;
  }
  for (const fs::path& path : entries_of(directory)) {
    if (path.filename().string().ends_with(temporary_suffix)) {
      remove_if_possible(path);
    }
  }
}

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) {
    throw io_error("read", directory, error.value());
  }
  return entries;
}

}  // namespace tapehead
