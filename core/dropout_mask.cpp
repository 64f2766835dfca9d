#include "core/dropout_mask.hpp"

#include <array>

#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Byte = std::array<Scalar, 8>;

std::array<Byte, 256> make_table() {
  std::array<Byte, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      table[byte][bit] = static_cast<Scalar>((byte >> bit) & 1);
    }
  }
  return table;
}

}  // namespace

void expand_keep_bits(const std::uint8_t* keep, Index bytes, Scalar scale, Scalar* factors) {
  static const std::array<Byte, 256> table = make_table();
  for (Index i = 0; i < bytes; ++i) {
    const Byte& bits = table[keep[i]];
    for (std::size_t bit = 0; bit < 8; ++bit) {
      factors[8 * i + static_cast<Index>(bit)] = scale * bits[bit];
    }
  }
}

DropoutMask::DropoutMask(const Dropout& dropout, Index rows, Index columns)
    : dropout_(dropout), columns_(columns) {
  if (dropout.active()) {
    bits_ = Buffer(static_cast<std::size_t>(rows * keep_row_bytes(columns)));
  }
}

std::uint8_t* DropoutMask::bits(Index row) const {
  return reinterpret_cast<std::uint8_t*>(bits_.data()) + row * keep_row_bytes(columns_);
}

const Scalar* DropoutMask::draw(Index row, Scalar* room) const {
  draw_keep_row(dropout_, row, columns_, bits(row));
  return factors(row, room);
}

const Scalar* DropoutMask::factors(Index row, Scalar* room) const {
  expand_keep_bits(bits(row), (columns_ + 7) / 8, static_cast<Scalar>(dropout_.scale()), room);
  return room;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
