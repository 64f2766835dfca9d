#include "core/dropout_mask.hpp"

#include <array>
#include <cstring>

#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Byte = std::array<Scalar, 8>;

std::array<Byte, 256> make_bits() {
  std::array<Byte, 256> bits{};
  for (std::size_t byte = 0; byte < bits.size(); ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      bits[byte][bit] = static_cast<Scalar>((byte >> bit) & 1);
    }
  }
  return bits;
}

}  // namespace

KeepFactors::KeepFactors(const Dropout& dropout) {
  static const std::array<Byte, 256> bits = make_bits();
  if (dropout.active()) {
    table_ = Tensor::empty({256, 8});
    map_row(
        table_.size(), table_.data(),
        [s = Lanes(static_cast<Scalar>(dropout.scale()))](const Lanes& a) { return s * a; },
        bits.front().data());
  }
}

void KeepFactors::expand(const std::uint8_t* keep, Index bytes, Scalar* factors) const {
  for (Index i = 0; i < bytes; ++i) {
    std::memcpy(factors + 8 * i, table_.row(keep[i]), sizeof(Byte));
  }
}

DropoutMask::DropoutMask(const Dropout& dropout, Index rows, Index columns)
    : dropout_(dropout), columns_(columns), factors_(dropout) {
  if (dropout.active()) {
    bits_ = Buffer(static_cast<std::size_t>(rows * keep_row_bytes(columns)));
  }
}

Tensor DropoutMask::room() const {
  return active() ? Tensor::empty({8 * keep_row_bytes(columns_)}) : Tensor();
}

std::uint8_t* DropoutMask::bits(Index row) const {
  return reinterpret_cast<std::uint8_t*>(bits_.data()) + row * keep_row_bytes(columns_);
}

const Scalar* DropoutMask::draw(Index row, Scalar* room) const {
  draw_keep_row(dropout_, row, columns_, bits(row));
  return factors(row, room);
}

const Scalar* DropoutMask::factors(Index row, Scalar* room) const {
  factors_.expand(bits(row), (columns_ + 7) / 8, room);
  return room;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
