#include "train/events/records.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tapehead {

namespace {

constexpr std::uint32_t castagnoli = 0x82f63b78;  // its coefficients, that of x^31 in bit 0

// The remainder of each byte, times x^32.
constexpr std::array<std::uint32_t, 256> remainders = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? castagnoli : 0);
    }
    table[byte] = remainder;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = 0xffffffff;
  for (const char byte : bytes) {
    const std::uint32_t index = (remainder ^ static_cast<unsigned char>(byte)) & 0xff;
    remainder = remainders[index] ^ (remainder >> 8);
  }
  return ~remainder;
}

namespace {

static_assert(std::endian::native == std::endian::little);

template <class Number>
std::string_view bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

template <class Number>
Number number_at(std::string_view bytes) {
  Number number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}

// The CRC of bytes that hold CRCs themselves has weaknesses, so TFRecord rotates and shifts it.
std::uint32_t checksum(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8; }

bool checks(std::string_view bytes, std::string_view stored) {
  return checksum(bytes) == number_at<std::uint32_t>(stored);
}

constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);
constexpr std::size_t head_bytes = length_bytes + checksum_bytes;

}  // namespace

std::string to_record(std::string_view content) {
  const std::uint64_t length = content.size();
  std::string record;
  record.reserve(head_bytes + content.size() + checksum_bytes);
  record += bytes_of(length);
  record += bytes_of(checksum(bytes_of(length)));
  record += content;
  record += bytes_of(checksum(content));
  return record;
}

Records read_records(std::string_view bytes) {
  Records records{.contents = {}, .rest = bytes};
  std::string_view& rest = records.rest;
  while (rest.size() >= head_bytes) {
    const auto length = number_at<std::uint64_t>(rest);
    if (!checks(rest.substr(0, length_bytes), rest.substr(length_bytes))) {
      records.damaged = true;
      break;
    }
    const std::string_view body = rest.substr(head_bytes);
    if (body.size() < checksum_bytes || body.size() - checksum_bytes < length) {
      break;
    }
    const std::string_view content = body.substr(0, length);
    if (!checks(content, body.substr(length))) {
      records.damaged = true;
      break;
    }
    records.contents.push_back(content);
    rest = body.substr(length + checksum_bytes);
  }
  return records;
}

}  // namespace tapehead
