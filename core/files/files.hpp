// Reads whole files, and writes them atomically: after a write the file is complete, or it is as
// before.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tapehead {

// The content of a file. Throws IoError.
std::string read_file(const std::filesystem::path& path);

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
