#include "core/files/tensor_file_checksum.hpp"

#include <zlib.h>

#include <cstring>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/tensor_header.hpp"

namespace tapehead {

namespace {

constexpr std::size_t crc_digits = 8;  // of each half of the checksum: head, then data

std::string hexadecimal(std::uint32_t value) { return fmt::format("{:0{}x}", value, crc_digits); }

std::string with_checksum(std::string head, std::string_view checksum) {
  return head.replace(length_bytes + checksum_prefix.size(), blank_checksum.size(), checksum);
}

std::uint32_t crc_of(std::string_view text) { return crc_with(std::as_bytes(std::span(text))); }

}  // namespace

std::uint32_t crc_with(std::span<const std::byte> bytes, std::uint32_t so_far) {
  // zlib starts again if it gets a null pointer, which an empty tensor may have.
  return bytes.empty() ? so_far
                       : static_cast<std::uint32_t>(crc32_z(
                             so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void set_checksum(std::string& head, std::uint32_t data_crc) {
  head = with_checksum(head, hexadecimal(crc_of(head)) + '-' + hexadecimal(data_crc));
}

TensorFileParts split_tensor_file(std::string_view content) {
  if (content.size() < length_bytes) {
    throw IoError(fmt::format("it is truncated or no tensor file: {} bytes", content.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), length_bytes);
  if (length > content.size() - length_bytes) {
    throw IoError(
        fmt::format("it is truncated or no tensor file: its header should have {} bytes", length));
  }
  const std::size_t head = length_bytes + length;
  return {.head = content.substr(0, head),
          .header = content.substr(length_bytes, length),
          .data = std::as_bytes(std::span(content).subspan(head))};
}

bool carries_checksum(const TensorFileParts& parts) {
  return parts.header.starts_with(checksum_prefix) &&
         parts.header.size() >= checksum_prefix.size() + blank_checksum.size();
}

// Once the header is known to be intact, what it says about the data can be trusted.
void check_head(const TensorFileParts& parts) {
  if (!carries_checksum(parts)) {
    throw IoError("it carries no checksum of tapehead: written by another program, or damaged");
  }
  const std::uint32_t crc = crc_of(with_checksum(std::string(parts.head), blank_checksum));
  const std::string_view checksum = parts.header.substr(checksum_prefix.size());
  if (!checksum.starts_with(hexadecimal(crc) + '-')) {
    throw IoError("it is damaged: its header does not have the checksum it states");
  }
}

void check_data(const TensorFileParts& parts) {
  const std::size_t at = checksum_prefix.size() + crc_digits + 1;
  if (parts.header.substr(at, crc_digits) != hexadecimal(crc_with(parts.data))) {
    throw IoError("it is damaged: its data does not have the checksum it states");
  }
}

}  // namespace tapehead
