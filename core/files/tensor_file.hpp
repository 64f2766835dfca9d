// Tensor files: safetensors (https://github.com/huggingface/safetensors), with a checksum in the
// metadata that makes every damaged bit seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/tensor_entry.hpp"

namespace tapehead {

// Writes a file that depends on nothing but names, shapes, values and metadata, not even on the
// order of `entries`; it is there whole or not at all. The metadata key "checksum" is taken. Throws
// IoError.
void write_tensor_file(const std::filesystem::path& path, std::span<const TensorEntry> entries,
                       const Metadata& metadata);

// What TensorFile accepts: only files with a checksum that holds, or any safetensors file.
enum class Trust { checksum, any };

// The content of a tensor file, checked whole at construction: a file that is truncated, damaged or
// not of this kind is refused by an IoError that names it and says what is wrong.
class TensorFile {
 public:
  explicit TensorFile(std::filesystem::path path, Trust trust = Trust::checksum);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return entries_; }  // in the file's order
  const Metadata& metadata() const { return metadata_; }                // without the checksum
  const std::string& metadata(const std::string& key) const;            // throws IoError

  const TensorEntry* find(std::string_view name) const;   // null: not there
  const TensorEntry& entry(std::string_view name) const;  // throws IoError
  std::span<const std::byte> bytes(std::string_view name) const { return entry(name).bytes; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<const std::string> content_;  // stays where it is when the object moves
  std::vector<TensorEntry> entries_;
  Metadata metadata_;
};

// Copies the values of a tensor; f32 and f64 are converted into each other. Throws IoError when the
// count or the kind does not fit.
void copy_values(const TensorEntry& entry, std::span<float> to);
void copy_values(const TensorEntry& entry, std::span<double> to);
void copy_values(const TensorEntry& entry, std::span<std::int64_t> to);

}  // namespace tapehead
