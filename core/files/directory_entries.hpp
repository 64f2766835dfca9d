// What is in a directory.
#pragma once

#include <filesystem>
#include <vector>

namespace tapehead {

// The paths of the entries, in no particular order. Throws IoError that names the directory, also
// if reading fails in the middle, where the iterators of std::filesystem throw an error without a
// path.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);

}  // namespace tapehead
