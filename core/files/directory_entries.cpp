#include "core/files/directory_entries.hpp"

#include <system_error>

#include "core/files/open_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

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
