// Whole files: read at once, and written so that they are there complete or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tapehead {

// Temporary files end so; one that is found without its writer is a leftover of a killed process.
inline constexpr std::string_view temporary_suffix = ".tmp";

// The content of a file. Throws IoError.
std::string read_file(const std::filesystem::path& path);

// Puts a file in place whole: whatever happens, power loss included, `path` then holds the old
// content or the new. Written beside it, synced, renamed. Throws IoError, and leaves nothing
// behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The same from pieces that are written one after another.
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::string_view> pieces);

// Makes a directory and those above it, where they are missing. Throws IoError.
void make_directories(const std::filesystem::path& path);

// Removes the temporary files that killed processes left in a directory.
void remove_temporary_files(const std::filesystem::path& directory);

}  // namespace tapehead
