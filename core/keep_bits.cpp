#include "core/keep_bits.hpp"

namespace tapehead {

namespace {

using Lanes32 = std::array<std::uint32_t, keep_lanes>;

// One Philox round on all lanes; `a` and `c` are multiplied, `b` and `d` mixed in (Salmon et al.
// 2011, figure 3).
inline void philox_round(Lanes32& a, Lanes32& b, Lanes32& c, Lanes32& d, std::uint32_t key0,
                         std::uint32_t key1) {
  for (std::size_t lane = 0; lane < keep_lanes; ++lane) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * a[lane];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c[lane];
    a[lane] = static_cast<std::uint32_t>(product1 >> 32) ^ b[lane] ^ key0;
    b[lane] = static_cast<std::uint32_t>(product1);
    c[lane] = static_cast<std::uint32_t>(product0 >> 32) ^ d[lane] ^ key1;
    d[lane] = static_cast<std::uint32_t>(product0);
  }
}

}  // namespace

void draw_keep_bits(const Dropout& dropout, const std::uint32_t* block, const std::uint32_t* row,
                    std::uint32_t salt, std::uint8_t* keep) {
  Lanes32 a;
  Lanes32 b;
  Lanes32 c;
  Lanes32 d;
  for (std::size_t lane = 0; lane < keep_lanes; ++lane) {
    a[lane] = block[lane];
    b[lane] = row[lane];
    c[lane] = dropout.draws.step;
    d[lane] = salt;
  }
  auto key0 = static_cast<std::uint32_t>(dropout.draws.key);
  auto key1 = static_cast<std::uint32_t>(dropout.draws.key >> 32);
  for (int round = 0; round < 7; ++round) {
    philox_round(a, b, c, d, key0, key1);
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  const std::uint32_t threshold = dropout.threshold();
  const auto bit = [threshold](std::uint32_t draw) {
    return static_cast<std::uint32_t>(draw >= threshold);
  };
  for (std::size_t lane = 0; lane < keep_lanes; ++lane) {
    const std::uint32_t bits = bit(a[lane] & 0xffff) | bit(a[lane] >> 16) << 1 |
                               bit(b[lane] & 0xffff) << 2 | bit(b[lane] >> 16) << 3 |
                               bit(c[lane] & 0xffff) << 4 | bit(c[lane] >> 16) << 5 |
                               bit(d[lane] & 0xffff) << 6 | bit(d[lane] >> 16) << 7;
    keep[lane] = static_cast<std::uint8_t>(bits);
  }
}

void draw_keep_row(const Dropout& dropout, Index row, Index columns, std::uint8_t* keep) {
  Lanes32 blocks;
  Lanes32 rows;
  rows.fill(static_cast<std::uint32_t>(row + dropout.draws.first_row));
  for (Index first = 0; first < columns; first += 8 * keep_lanes) {
    for (std::size_t lane = 0; lane < keep_lanes; ++lane) {
      blocks[lane] = static_cast<std::uint32_t>(first / 8) + static_cast<std::uint32_t>(lane);
    }
    draw_keep_bits(dropout, blocks.data(), rows.data(), 0, keep + first / 8);
  }
}

}  // namespace tapehead
