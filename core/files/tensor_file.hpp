// Reads and writes tensor files: safetensors (https://github.com/huggingface/safetensors), with a
// checksum in the metadata that reveals every damaged bit. Every claim of the header
// (tensor_header.cpp) is checked when it is read.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

enum class DType { f32, f64, i64, f16, bf16 };

std::size_t byte_width(DType dtype);

// A tensor in a file: row-major, little-endian. It does not own `bytes`.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Index> shape;  // empty: one number
  std::span<const std::byte> bytes;
};

using Metadata = std::map<std::string, std::string>;

// The metadata begins with the checksum.
inline constexpr std::string_view blank_checksum = "00000000-00000000";

struct TensorHeader {
  std::vector<TensorEntry> entries;
  Metadata metadata;  // with the checksum
};

// The header, with a blank checksum, for tensors that are stored in the given order. It is padded
// so that the data begins at a multiple of 8 bytes. The entries need no bytes yet. Throws IoError
// that says what cannot be written.
std::string make_tensor_header(std::span<const TensorEntry> entries, const Metadata& metadata);

std::string_view name_of(DType dtype);  // "F32"
bool is_real(DType dtype);              // F16, BF16, F32 or F64

// Throws an IoError if an entry does not have as many bytes as its shape says.
void expect_bytes(const TensorEntry& entry);

// Reads the tensors of a header as views of `data`. The length of each tensor must match its shape,
// and together the tensors must cover `data` without overlap or gap. Throws IoError with the
// reason. All safetensors types of whole bytes are read; `copy_values` accepts only I64 and reals.
TensorHeader read_tensor_header(std::string_view text, std::span<const std::byte> data);

// The header of a file with our checksum, whose description of the data can be trusted, although
// the data is not verified. Throws IoError with the reason.
TensorHeader read_intact_header(std::string_view content);

// The entries in the order of a file: wide types first, then by name.
std::vector<TensorEntry> in_file_order(std::span<const TensorEntry> entries);

// Returns the bytes of an entry, which must stay unchanged until the next call.
using EntryBytes = std::function<std::span<const std::byte>(const TensorEntry&)>;

// Writes a tensor file atomically. Its bytes depend only on names, shapes, values and metadata, not
// on the order of `entries`. The metadata key "checksum" is reserved. Throws IoError. `bytes_of` is
// called once for each entry, in the order of the file, so not all tensors need to be in memory. If
// `bytes_of` throws, an existing file stays as it was.
void write_tensor_file(const fs::path& path, std::span<const TensorEntry> entries,
                       const Metadata& metadata, const EntryBytes& bytes_of = &TensorEntry::bytes);

enum class Trust { checksum, any };  // only files with a valid checksum, or any safetensors file

// The content of a tensor file. The constructor checks the whole file. If it is truncated, damaged
// or not a tensor file, the constructor throws IoError that names the file and the fault.
class TensorFile {
 public:
  explicit TensorFile(fs::path path, Trust trust = Trust::checksum);

  const fs::path& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return header_.entries; }  // in file order
  const Metadata& metadata() const { return header_.metadata; }  // without the checksum
  const std::string& metadata(const std::string& key) const;     // throws IoError

  const TensorEntry* find(std::string_view name) const;   // null: absent
  const TensorEntry& entry(std::string_view name) const;  // throws IoError
  std::span<const std::byte> bytes(std::string_view name) const { return entry(name).bytes; }

  // The error for an intact file that its reader cannot use: "cannot use FILE: ...".
  template <class... Args>
  IoError unusable(fmt::format_string<const Args&...> form, const Args&... args) const {
    return IoError("cannot use {}: {}", path_.string(), fmt::format(form, args...));
  }

 private:
  fs::path path_;
  std::unique_ptr<const std::string> content_;  // keeps its address when the object moves
  TensorHeader header_;                         // without the checksum
};

// Copies the values of a tensor, and converts real numbers of any width. Throws IoError if the
// count or the type does not match.
void copy_values(const TensorEntry& entry, std::span<float> to);
void copy_values(const TensorEntry& entry, std::span<double> to);
void copy_values(const TensorEntry& entry, std::span<std::int64_t> to);

}  // namespace tapehead
