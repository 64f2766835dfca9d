// The header of a safetensors file: one entry for each tensor. It is made, and read back with every
// claim checked.
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

// The header of a file with our checksum begins like this. The digits of the checksum follow.
inline constexpr std::string_view checksum_prefix = R"({"__metadata__":{"checksum":")";
inline constexpr std::string_view blank_checksum = "00000000-00000000";

struct TensorHeader {
  std::vector<TensorEntry> entries;
  Metadata metadata;  // with the checksum
};

// The header, with a blank checksum, of tensors that are stored in the given order. It is padded so
// that the data begins at a multiple of 8 bytes. The entries need no bytes yet. Throws an IoError
// that says what cannot be written.
std::string make_tensor_header(std::span<const TensorEntry> entries, const Metadata& metadata);

std::string_view name_of(DType dtype);  // "F32"
bool is_real(DType dtype);              // F16, BF16, F32 or F64

// Throws an IoError if an entry does not have as many bytes as its shape says.
void expect_bytes(const TensorEntry& entry);

// Reads the tensors of a header as views of `data`. Each must be as long as its shape says, and
// together they must cover `data` without overlap or gap. Throws an IoError that says what is
// wrong. A tensor may have any type of whole bytes; only `copy_values` refuses others than I64 and
// the reals.
TensorHeader read_tensor_header(std::string_view text, std::span<const std::byte> data);

}  // namespace tapehead
