#include "core/ops/attention_dropout.hpp"

#include <algorithm>

namespace tapehead::inline TAPEHEAD_PRECISION {

void AttentionDropout::draw(const DropoutAddress& at, Index columns, Index keys) {
  std::array<std::uint32_t, keep_lanes> blocks{};
  std::array<std::uint32_t, keep_lanes> rows{};
  std::array<std::uint8_t, keep_lanes> keep{};
  const auto salt = static_cast<std::uint32_t>(at.head) + 1;
  for (Index word = 0; word * keep_lanes < columns; ++word) {
    for (Index lane = 0; lane < keep_lanes; ++lane) {
      rows[static_cast<std::size_t>(lane)] =
          static_cast<std::uint32_t>(at.query_row + (word * keep_lanes + lane) * at.query_step);
    }
    for (Index j = 0; j < keys;) {
      Index position = at.position + j * at.key_step;
      const Index block = position >> 3;
      const Index in_block = ((block + 1) * 8 - position + at.key_step - 1) / at.key_step;
      blocks.fill(static_cast<std::uint32_t>(block));
      draw_keep_bits(dropout_, blocks.data(), rows.data(), salt, keep.data());
      const auto of_key = transpose_keep_bits(keep.data());
      for (const Index end = std::min(keys, j + in_block); j < end; ++j, position += at.key_step) {
        kept_[static_cast<std::size_t>(j * key_words + word)] =
            of_key[static_cast<std::size_t>(position & 7)];
      }
    }
  }
}

void AttentionDropout::apply(Index columns, Index keys, Scalar* numbers, Index step) const {
  for (Index j = 0; j < keys; ++j) {
    const std::uint16_t* kept = kept_.data() + j * key_words;
    for (Index q = 0; q < columns; q += lane_count) {
      Scalar* at = numbers + j * step + q;
      (factors_.of(kept[q / keep_lanes], q % keep_lanes) * Lanes::load_unaligned(at))
          .store_unaligned(at);
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
