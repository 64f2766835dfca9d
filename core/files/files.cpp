#include "core/files/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "core/files/atomic_file.hpp"
#include "core/files/directory_entries.hpp"
#include "core/files/open_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path, std::size_t most) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK);
  struct stat status{};
  if (::fstat(file.descriptor(), &status) != 0) {
    throw io_error("read", path, errno);
  }
  if (static_cast<std::size_t>(status.st_size) > most) {
    throw IoError(fmt::format("{} has {} bytes; such a file has at most {}", path.string(),
                              status.st_size, most));
  }
  return file.read_to_end();
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, std::span(&content, 1));
}

void write_file_atomically(const fs::path& path, std::span<const std::string_view> pieces) {
  AtomicFile file(path);
  for (const std::string_view piece : pieces) {
    file.write(piece);
  }
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
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    return;
  }
  for (const fs::path& path : entries_of(directory)) {
    if (path.filename().string().ends_with(temporary_suffix)) {
      fs::remove(path, ignored);
    }
  }
}

}  // namespace tapehead
