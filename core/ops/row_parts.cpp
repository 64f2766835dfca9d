#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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
  if (!a_bit_each && dropout.active()) {
    static const std::array<Byte, 256> bits = make_bits();
    table_ = Tensor::empty({256, 8});
    map_row(
        table_.size(), table_.data(), [s = Lanes(scale_)](const Lanes& a) { return s * a; },
        bits.front().data());
  }
}

DropoutMask::DropoutMask(const Dropout& dropout, Index rows, Index columns)
    : rows_(rows), row_bytes_(keep_row_bytes(columns)), factors_(dropout) {
  if (dropout.active()) {
    bits_ = Buffer(static_cast<std::size_t>(keep_bytes(rows, columns)));
    draw_keep_rows(dropout, 0, rows, columns, reinterpret_cast<std::uint8_t*>(bits_.data()));
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
