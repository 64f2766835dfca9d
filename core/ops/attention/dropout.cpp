#include "core/ops/attention/dropout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void AttentionDropout::draw(const DropoutAddress& at, Index columns, Index keys) {
  const auto salt = static_cast<std::uint32_t>(at.head) + 1;
  const auto query_step = static_cast<std::uint32_t>(at.query_step);
  const auto key_step = static_cast<std::uint32_t>(at.key_step);
  for (Index word = 0; word * keep_lanes < columns; ++word) {
    const auto query = static_cast<std::uint32_t>(at.query_row + word * keep_lanes * at.query_step);
    auto position = static_cast<std::uint32_t>(at.position);
    for (Index j = 0; j < keys;) {
      const std::uint32_t block = position / 8;
      const auto kept = draw_keep_columns(dropout_, block, query, query_step, salt);
      for (; j < keys && position / 8 == block; ++j, position += key_step) {
        kept_[static_cast<std::size_t>(j * key_words + word)] = kept[position % 8];
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
