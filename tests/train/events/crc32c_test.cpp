// CRC-32C: the examples of its standard, for the library's table and for the division in
// tests/support/event_reader.hpp.
#include "tests/support/event_reader.hpp"
#include "tests/support/testing.hpp"
#include "train/events/event.hpp"

namespace tapehead { namespace {

std::string ascending_bytes() {
  std::string bytes;
  for (char byte = 0; byte < 32; ++byte) {
    bytes += byte;
  }
  return bytes;
}

TEST(Crc32c, equals_the_examples_of_its_standard) {
  const std::string ascending = ascending_bytes();
  // RFC 3720, appendix B.4; the first value is the check value in CRC catalogues.
  const std::vector<std::pair<std::string, std::uint32_t>> examples{
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {ascending, 0x46dd794e},
      {{ascending.rbegin(), ascending.rend()}, 0x113fdb5c},
      {"", 0}};
  for (const auto& [bytes, checksum] : examples) {
    EXPECT_EQ(crc32c(bytes), checksum);
    EXPECT_EQ(divided_crc32c(bytes), checksum);
  }
}

}}  // namespace tapehead
