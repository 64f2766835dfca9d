// Reads whole files, and writes them atomically: after a write the file is complete, or it is as
// before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace tapehead {

// More than any config, vocabulary or JSON file has.
inline constexpr std::size_t most_settings_bytes = std::size_t{1} << 30;

// The content of a file. Throws IoError, also if it has more than `most` bytes, before it takes
// memory for them.
std::string read_file(const std::filesystem::path& path,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes a file atomically (core/files/atomic_file.hpp). Throws IoError, and leaves no temporary
// file behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The same for content in several pieces, which are written one after another.
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::string_view> pieces);

// Makes a directory and its parents where they are missing. Throws IoError.
void make_directories(const std::filesystem::path& path);

// Removes the temporary files that killed processes left in a directory.
void remove_temporary_files(const std::filesystem::path& directory);

}  // namespace tapehead
