#include "core/files/files.hpp"

#include <fcntl.h>

#include <string>
#include <system_error>

#include "core/files/atomic_file.hpp"
#include "core/files/open_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) { return OpenFile(path, O_RDONLY).read_to_end(); }

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
