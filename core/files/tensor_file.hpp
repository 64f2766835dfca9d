// Reads and writes tensor files: safetensors (https://github.com/huggingface/safetensors), with a
// checksum in the metadata that reveals every damaged bit.
#pragma once

#include "core/files/tensor_header.hpp"

namespace tapehead {

// The two parts of a file, which are not verified yet.
struct TensorFileParts {
  std::string_view head;    // length and header
  std::string_view header;  // JSON
  std::span<const std::byte> data;
};

// These throw an IoError that says what is wrong. Once the header is known to be intact, what it
// says about the data can be trusted.
TensorFileParts split_tensor_file(std::string_view content);
void check_head(const TensorFileParts& parts);

// The entries in the order in which a file has them: wide types first, then by name.
std::vector<TensorEntry> in_file_order(std::span<const TensorEntry> entries);

// Gives the bytes of an entry. They must stay as they are until the next call.
using EntryBytes = std::function<std::span<const std::byte>(const TensorEntry&)>;

// Writes a tensor file atomically. Its bytes depend only on names, shapes, values and metadata, not
// on the order of `entries`. The metadata key "checksum" is reserved. Throws IoError. So that not
// all tensors need to be in memory, `bytes_of` is called once for each entry, in the order of the
// file. If it throws, the file stays as it was.
void write_tensor_file(const std::filesystem::path& path, std::span<const TensorEntry> entries,
                       const Metadata& metadata, const EntryBytes& bytes_of = &TensorEntry::bytes);

enum class Trust { checksum, any };  // only files with a valid checksum, or any safetensors file

// The content of a tensor file. The constructor checks all of it. If it is truncated, damaged or of
// another kind, it throws an IoError that names the file and the fault.
class TensorFile {
 public:
  explicit TensorFile(std::filesystem::path path, Trust trust = Trust::checksum);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return entries_; }  // in the file's order
  const Metadata& metadata() const { return metadata_; }                // without the checksum
  const std::string& metadata(const std::string& key) const;            // throws IoError

  const TensorEntry* find(std::string_view name) const;   // null: absent
  const TensorEntry& entry(std::string_view name) const;  // throws IoError
  std::span<const std::byte> bytes(std::string_view name) const { return entry(name).bytes; }

  // The error of a file that is intact, but not what its reader needs: "cannot use FILE: ...".
  template <class... Args>
  IoError unusable(fmt::format_string<const Args&...> form, const Args&... args) const {
    return IoError(fmt::format("cannot use {}: {}", path_.string(), fmt::format(form, args...)));
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<const std::string> content_;  // keeps its address when the object moves
  std::vector<TensorEntry> entries_;
  Metadata metadata_;
};

// Copies the values of a tensor, and converts real numbers of any width. Throws IoError if count or
// type do not match.
void copy_values(const TensorEntry& entry, std::span<float> to);
void copy_values(const TensorEntry& entry, std::span<double> to);
void copy_values(const TensorEntry& entry, std::span<std::int64_t> to);

}  // namespace tapehead
