#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

KeepFactors::KeepFactors(const Dropout& dropout) : scale_(static_cast<Scalar>(dropout.scale())) {
  if (!a_bit_each && dropout.active()) {
    static const auto bits = [] {
      std::array<Scalar, 256 * 8> all{};
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<Scalar>(((i / 8) >> (i % 8)) & 1);
      }
      return all;
    }();
    table_ = Tensor::empty({256, 8});
    scale_row(table_.size(), scale_, bits.data(), table_.data());
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
