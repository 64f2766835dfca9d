// AES rounds by tables compared with FIPS-197 written out byte by byte.
#include "core/random/keep_bits.hpp"

#include <random>

#include "tests/support/plain_draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// In 1,000 random states, each place takes 98 % of all byte values.
TEST(AesByTable, equals_the_rounds_written_out) {
  std::mt19937 random(1);
  const AesState no_key{};
  for (int i = 0; i < 1000; ++i) {
    const AesColumns columns{
        static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
        static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
    const auto state = std::bit_cast<AesState>(columns);
    ASSERT_EQ(std::bit_cast<AesState>(aes_mixed(columns)), aes_round(state, no_key, true)) << i;
    ASSERT_EQ(std::bit_cast<AesState>(aes_substituted(columns)), aes_round(state, no_key, false))
        << i;
  }
}

}}  // namespace tapehead
