#include "core/dropout_mask.hpp"

#include <array>
#include <cstring>

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

KeepFactors::KeepFactors(const Dropout& dropout) : scale_(static_cast<Scalar>(dropout.scale())) {
  static const std::array<Byte, 256> bits = make_bits();
  if (dropout.active()) {
    table_ = Tensor::empty({256, 8});
    map_row(
        table_.size(), table_.data(), [s = Lanes(scale_)](const Lanes& a) { return s * a; },
        bits.front().data());
  }
}

void KeepFactors::expand(const std::uint8_t* keep, Index bytes, Scalar* factors) const {
  Index i = 0;
  for (; i + 2 <= bytes; i += 2) {
    std::uint16_t sixteen;
    std::memcpy(&sixteen, keep + i, sizeof sixteen);
    for (Index first = 0; first < 16; first += lane_count) {
      of(sixteen, first).store_unaligned(factors + 8 * i + first);
    }
  }
  if (i < bytes) {
    std::memcpy(factors + 8 * i, table_.row(keep[i]), sizeof(Byte));
  }
}

DropoutMask::DropoutMask(const Dropout& dropout, Index rows, Index columns)
    : row_bytes_(keep_row_bytes(columns)), factors_(dropout) {
  if (dropout.active()) {
    bits_ = Buffer(static_cast<std::size_t>(keep_bytes(rows, columns)));
    draw_keep_rows(dropout, 0, rows, columns, reinterpret_cast<std::uint8_t*>(bits_.data()));
  }
}

Tensor DropoutMask::room() const { return active() ? Tensor::empty({8 * row_bytes_}) : Tensor(); }

const Scalar* DropoutMask::factors(Index row, Scalar* room) const {
  const auto* bits = reinterpret_cast<const std::uint8_t*>(bits_.data());
  factors_.expand(bits + row * row_bytes_, row_bytes_, room);
  return room;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
