// Dropout's bulk draws compared with the plain generator, one counter at a time, and AES rounds by
// tables with FIPS-197 written out byte by byte.
#include "core/random/keep_bits.hpp"

#include <random>

#include "tests/support/plain_draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

Dropout dropout_of(double probability) {
  return {.probability = probability, .draws = Draws(7, "tests.keep_bits", 12345, 40)};
}

bool plain_keeps(const Dropout& dropout, std::uint32_t block, std::uint32_t row, std::uint32_t salt,
                 int draw) {
  return plain_draws({block, row, dropout.draws.step, salt},
                     dropout.draws.key)[static_cast<std::size_t>(draw)] >= dropout.threshold();
}

// FIPS-197, appendix B: the second round of the example.
TEST(PlainDraws, go_through_a_round_of_aes) {
  const AesState state{0xa4, 0x9c, 0x7f, 0xf2, 0x68, 0x9f, 0x35, 0x2b,
                       0x6b, 0x5b, 0xea, 0x43, 0x02, 0x6a, 0x50, 0x49};
  const AesState key{0xf2, 0xc2, 0x95, 0xf2, 0x7a, 0x96, 0xb9, 0x43,
                     0x59, 0x35, 0x80, 0x7a, 0x73, 0x59, 0xf6, 0x7f};
  const AesState next{0xaa, 0x8f, 0x5f, 0x03, 0x61, 0xdd, 0xe3, 0xef,
                      0x82, 0xd2, 0x4a, 0xd2, 0x68, 0x32, 0x46, 0x9a};
  EXPECT_EQ(aes_round(state, key, true), next);
}

// AES rounds by tables. In 1,000 random states, each place takes 98 % of all byte values.
TEST(AesByTable, equals_the_rounds_written_out) {
  std::mt19937 random(1);
  const AesState no_key{};
  for (int i = 0; i < 1000; ++i) {
    AesColumns columns;
    std::ranges::generate(columns, [&] { return static_cast<std::uint32_t>(random()); });
    const auto state = std::bit_cast<AesState>(columns);
    ASSERT_EQ(std::bit_cast<AesState>(aes_mixed(columns)), aes_round(state, no_key, true)) << i;
    ASSERT_EQ(std::bit_cast<AesState>(aes_substituted(columns)), aes_round(state, no_key, false))
        << i;
  }
}

using Probabilities = TestWithParam<double>;
INSTANTIATE_TEST_SUITE_P(KeepBits, Probabilities, Values(1e-5, 0.1, 0.5, 0.75, 0.99999));

TEST_P(Probabilities, equal_the_plain_generator) {
  const Dropout dropout = dropout_of(GetParam());
  constexpr std::uint32_t block = 0x9000'0000U;      // highest bit set: words must be unsigned
  constexpr std::uint32_t first_row = 0xFFFF'FFF0U;  // wraps around after 16 rows
  const auto columns = draw_keep_columns(dropout, block, first_row, 17, 0xF000'0001U);
  for (std::uint32_t lane = 0; lane < keep_lanes; ++lane) {
    for (int draw = 0; draw < 8; ++draw) {
      EXPECT_EQ((columns[static_cast<std::size_t>(draw)] >> lane & 1) != 0,
                plain_keeps(dropout, block, first_row + 17 * lane, 0xF000'0001U, draw))
          << "lane " << lane << ", draw " << draw;
    }
  }
}

TEST(KeepRows, hold_the_draws_of_their_columns_in_order) {
  const Dropout dropout = dropout_of(0.4);
  for (const Index columns : {1, 8, 64, 300}) {  // a group of 16 bytes crosses row ends
    constexpr Index rows = 7;
    std::vector<std::uint8_t> keep(static_cast<std::size_t>(keep_bytes(rows, columns)));
    draw_keep_rows(dropout, 5, rows, columns, keep.data());
    for (Index row = 0; row < rows; ++row) {
      const std::uint8_t* bits = keep.data() + row * keep_row_bytes(columns);
      for (Index c = 0; c < columns; ++c) {
        const bool kept =
            plain_keeps(dropout, static_cast<std::uint32_t>(c / 8),
                        static_cast<std::uint32_t>(45 + row), 0, static_cast<int>(c % 8));
        EXPECT_EQ((bits[c / 8] >> (c % 8) & 1) != 0, kept) << "row " << row << ", column " << c;
      }
    }
  }
}

}}  // namespace tapehead
