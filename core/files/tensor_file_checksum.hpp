// The checksum of a tensor file: the CRC-32 of its head and that of its data, in the metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tapehead {

// Before the header stands its length.
inline constexpr std::size_t length_bytes = sizeof(std::uint64_t);

// The CRC-32 of all bytes so far, if they are followed by these.
std::uint32_t crc_with(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

// Writes the checksum into a head that has the blank one.
void set_checksum(std::string& head, std::uint32_t data_crc);

// The two parts of a file, which are not verified yet.
struct TensorFileParts {
  std::string_view head;    // length and header
  std::string_view header;  // JSON
  std::span<const std::byte> data;
};

// These throw an IoError that says what is wrong.
TensorFileParts split_tensor_file(std::string_view content);
void check_head(const TensorFileParts& parts);
void check_data(const TensorFileParts& parts);  // after check_head

bool carries_checksum(const TensorFileParts& parts);

}  // namespace tapehead
