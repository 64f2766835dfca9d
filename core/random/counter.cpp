#include "core/random/counter.hpp"

namespace tapehead {

namespace {

// The product with the polynomial x modulo x⁸ + x⁴ + x³ + x + 1 (FIPS-197, section 4.2.1).
constexpr std::uint8_t times_x(std::uint8_t a) {
  return static_cast<std::uint8_t>(a << 1 ^ ((a & 0x80) != 0 ? 0x1B : 0));
}

// The inverse in GF(2⁸), or 0, through an affine map (FIPS-197, section 5.1.1). The powers of x + 1
// are all elements but 0, and the inverse of the i-th is the (255 - i)-th.
constexpr std::array<std::uint8_t, 256> substitution_table() {
  std::array<std::uint8_t, 256> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = static_cast<std::uint8_t>(powers[i - 1] ^ times_x(powers[i - 1]));
  }
  std::array<std::uint8_t, 256> table{0x63};
  for (std::size_t i = 0; i < 255; ++i) {
    const std::uint8_t inverse = powers[255 - i];
    std::uint8_t result = 0x63;
    for (int turn = 0; turn < 5; ++turn) {
      result = static_cast<std::uint8_t>(result ^ std::rotl(inverse, turn));
    }
    table[powers[i]] = result;
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> substitution = substitution_table();

// What a byte of the first row adds to its column when columns are mixed: 2, 1, 1 and 3 times its
// substitute. Other rows add the same, turned by a byte for each (FIPS-197, equation 5.6).
constexpr std::array<std::uint32_t, 256> mixing_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint32_t once = substitution[i];
    const std::uint32_t twice = times_x(substitution[i]);
    table[i] = twice | once << 8 | once << 16 | (once ^ twice) << 24;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> mixing = mixing_table();

// ShiftRows, then what the table has for each byte, turned by its row.
template <class Number>
AesColumns looked_up(const AesColumns& state, const std::array<Number, 256>& table) {
  AesColumns next{};
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      const std::size_t byte = state[(column + row) % 4] >> (8 * row) & 0xFF;
      next[column] ^= std::rotl(std::uint32_t{table[byte]}, static_cast<int>(8 * row));
    }
  }
  return next;
}

}  // namespace

AesColumns aes_substituted(const AesColumns& state) { return looked_up(state, substitution); }

AesColumns aes_mixed(const AesColumns& state) { return looked_up(state, mixing); }

}  // namespace tapehead
