#include "core/ops/attention_dropout.hpp"

#include <algorithm>
#include <array>

#include "core/rows.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

void AttentionDropout::draw(const DropoutAddress& at, Index columns, Index keys,
                            Scalar* factors) const {
  std::array<std::uint32_t, keep_lanes> blocks{};
  std::array<std::uint32_t, keep_lanes> rows{};
  std::array<std::uint8_t, keep_lanes> keep{};
  std::array<Scalar, keep_lanes> factors_of_key{};
  const auto salt = static_cast<std::uint32_t>(at.head) + 1;
  for (Index first = 0; first < columns; first += keep_lanes) {
    const Index lanes = std::min(keep_lanes, columns - first);
    for (Index lane = 0; lane < keep_lanes; ++lane) {
      rows[static_cast<std::size_t>(lane)] =
          static_cast<std::uint32_t>(at.query_row + (first + lane) * at.query_step);
    }
    for (Index j = 0; j < keys;) {
      Index position = at.position + j * at.key_step;
      const Index block = position >> 3;
      const Index in_block = ((block + 1) * 8 - position + at.key_step - 1) / at.key_step;
      blocks.fill(static_cast<std::uint32_t>(block));
      draw_keep_bits(dropout_, blocks.data(), rows.data(), salt, keep.data());
      const auto of_key = transpose_keep_bits(keep.data());
      for (const Index end = std::min(keys, j + in_block); j < end; ++j, position += at.key_step) {
        const std::uint16_t bits = of_key[static_cast<std::size_t>(position & 7)];
        const std::array<std::uint8_t, 2> bytes{static_cast<std::uint8_t>(bits),
                                                static_cast<std::uint8_t>(bits >> 8)};
        factors_of_bits_.expand(bytes.data(), 2, factors_of_key.data());
        Scalar* row = factors + j * columns + first;
        for (Index lane = 0; lane < lanes; lane += lane_count) {
          Lanes::load_unaligned(factors_of_key.data() + lane).store_unaligned(row + lane);
        }
      }
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
