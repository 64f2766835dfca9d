// The header of a safetensors file: made from tensors and metadata, and read back with every claim
// checked.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/tensor_entry.hpp"

namespace tapehead {

// A file that carries our checksum begins its header so; the checksum's digits follow.
inline constexpr std::string_view checksum_prefix = R"({"__metadata__":{"checksum":")";
inline constexpr std::string_view blank_checksum = "00000000-00000000";

struct TensorHeader {
  std::vector<TensorEntry> entries;
  Metadata metadata;  // with the checksum
};

// The header's text, checksum blank, for tensors laid end to end in the given order; padded so that
// the data after it begins at a multiple of 8 bytes. Throws IoError that says what cannot be
// written.
std::string make_tensor_header(std::span<const TensorEntry> entries, const Metadata& metadata);

// The tensors of a header, as views of `data`: each inside it, as long as its shape says, all
// together covering it without overlap or gap. Throws IoError that says what is wrong.
TensorHeader read_tensor_header(std::string_view text, std::span<const std::byte> data);

}  // namespace tapehead
