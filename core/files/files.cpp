#include "core/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tapehead {

namespace {

// `write_some` writes the beginning of its argument, and returns the bytes written, or -1.
template <class WriteSome>
void write_all(std::string_view bytes, const fs::path& shown_as, const WriteSome& write_some) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(bytes);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw io_error("write", shown_as, errno);
    }
  }
}

// Throws IoError if memory does not suffice.
void make_room(std::string& content, std::size_t bytes, const fs::path& shown_as) {
  try {
    content.resize(bytes);
  } catch (const std::exception&) {  // bad_alloc, or length_error beyond 2^63 bytes
    throw io_error("read", shown_as, ENOMEM);
  }
}

// No file can have a name that is too long.
fs::file_status expect_known(fs::file_status status, const fs::path& path,
                             const std::error_code& error) {
  if (status.type() == fs::file_type::none && error != std::errc::filename_too_long) {
    throw io_error("read", path, error.value());
  }
  return status;
}

// The name of a temporary file, which nobody can predict and occupy with a link or a file. Throws
// IoError if `destination` is a device or a pipe, which a rename would replace.
fs::path temporary_path(const fs::path& destination) {
  const fs::file_status status = status_of(destination);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError("cannot write {}: it is not a regular file", destination.string());
  }
  std::random_device source;
  return fmt::format("{}.{:08x}{:08x}{}", destination.string(), source(), source(),
                     temporary_suffix);
}

}  // namespace

SystemError io_error(std::string_view verb, const fs::path& path, int code) {
  return SystemError("cannot {} {}: {}", verb, path.string(),
                     std::generic_category().message(code));
}

fs::file_status status_of(const fs::path& path) {
  std::error_code error;
  return expect_known(fs::status(path, error), path, error);
}

fs::file_status link_status_of(const fs::path& path) {
  std::error_code error;
  return expect_known(fs::symlink_status(path, error), path, error);
}

void remove_if_possible(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

OpenFile::OpenFile(const fs::path& path, int flags) : OpenFile(path, flags, path) {}

// With O_NOFOLLOW (files that a run writes) only a regular file is opened: a link may lead to a
// file of somebody else, and a pipe would make the program wait. O_NONBLOCK (files that are read)
// also refuses pipes and devices, but follows links; a directory fails later, when it is read.
OpenFile::OpenFile(const fs::path& path, int flags, fs::path shown_as)
    : OpenFile(::open(path.c_str(),
                      flags | O_CLOEXEC | ((flags & O_NOFOLLOW) != 0 ? O_NONBLOCK : 0), 0666),
               std::move(shown_as)) {
  const int fault = errno;
  const char* const verb = (flags & O_ACCMODE) == O_RDONLY ? "open" : "write";
  const bool own = (flags & O_NOFOLLOW) != 0;
  if (descriptor_ < 0 && own && fs::is_symlink(link_status_of(path))) {
    throw IoError(
        "cannot {} {}: it is a symbolic link, and tapehead does not write through links; remove "
        "the link, or replace it with the file",
        verb, shown_as_.string());
  }
  if (descriptor_ < 0) {
    throw io_error(verb, shown_as_, fault);
  }
  struct stat status{};
  const bool known = (own || (flags & O_NONBLOCK) != 0) && ::fstat(descriptor_, &status) == 0;
  if (known && !S_ISREG(status.st_mode) && (own || !S_ISDIR(status.st_mode))) {
    throw IoError("cannot {} {}: it is not a regular file", verb, shown_as_.string());
  }
}

OpenFile::OpenFile(int descriptor, fs::path shown_as)
    : shown_as_(std::move(shown_as)), descriptor_(descriptor) {}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : shown_as_(std::move(other.shown_as_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(shown_as_, other.shown_as_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void OpenFile::write(std::string_view bytes) {
  write_all(bytes, shown_as_, [this](std::string_view left) {
    return ::write(descriptor_, left.data(), left.size());
  });
}

void OpenFile::write_at(std::size_t offset, std::string_view bytes) {
  const std::size_t end = offset + bytes.size();
  write_all(bytes, shown_as_, [&](std::string_view left) {
    return ::pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(end - left.size()));
  });
}

std::size_t OpenFile::size() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) {
    throw io_error("read", shown_as_, errno);
  }
  return static_cast<std::size_t>(status.st_size);
}

std::string OpenFile::read_to_end() {
  // One byte more than expected: the end is then detected without a larger buffer. Pipes and /proc
  // report size 0.
  std::string content;
  make_room(content, size() + 1, shown_as_);
  std::size_t read = 0;
  while (true) {
    const ssize_t got = ::read(descriptor_, content.data() + read, content.size() - read);
    if (got == 0) {
      content.resize(read);
      return content;
    }
    if (got < 0 && errno != EINTR) {
      throw io_error("read", shown_as_, errno);
    }
    read += got > 0 ? static_cast<std::size_t>(got) : 0;
    if (read == content.size()) {
      make_room(content, 2 * read + 4096, shown_as_);
    }
  }
}

void OpenFile::sync() {
  if (::fsync(descriptor_) != 0) {
    throw io_error("write", shown_as_, errno);
  }
}

void OpenFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    throw io_error("write", shown_as_, errno);
  }
}

OpenFile nameless_file() {
  const char* wanted = std::getenv("TMPDIR");
  const fs::path directory = wanted != nullptr && *wanted != 0 ? wanted : "/var/tmp";
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // Without O_TMPFILE in the file system or, the last two, in the kernel (open(2)), the file has a
  // name for a moment, and a process that is killed then leaves it.
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    std::string name = (directory / "tapehead-XXXXXX").string();
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) {
      ::unlink(name.c_str());
    }
  }
  if (descriptor < 0) {
    throw io_error("create a file in", directory, errno);
  }
  return {descriptor, directory};
}

MappedFile::MappedFile(const OpenFile& file, const fs::path& shown_as) : size_(file.size()) {
  if (size_ == 0) {
    return;  // mmap rejects size 0
  }
  address_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (address_ == MAP_FAILED) {
    throw io_error("map", shown_as, errno);
  }
}

MappedFile::~MappedFile() {
  if (size_ > 0) {
    ::munmap(address_, size_);
  }
}

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
      path_(temporary_path(destination)),
      file_(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, destination) {}

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
    throw IoError("{} has {} bytes; at most {} are allowed", path.string(), size, most);
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
