#include "train/events/crc32c.hpp"

#include <array>

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

}  // namespace tapehead
