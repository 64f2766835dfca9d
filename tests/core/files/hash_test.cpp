// Hash depends on everything that was added.
#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Tokens = std::vector<TokenId>;

TEST(Hash, the_border_between_two_texts_counts) {
  EXPECT_NE(Hash().add("ab").add("c").value(), Hash().add("a").add("bc").value());
  EXPECT_NE(Hash().add("").add("a").value(), Hash().add("a").add("").value());
  EXPECT_NE(Hash().add(Tokens{1, 2}).add(Tokens{}).value(),
            Hash().add(Tokens{1}).add(Tokens{2}).value());
}

TEST(Hash, zeros_count) {
  EXPECT_NE(Hash().add(Tokens{0}).value(), Hash().add(Tokens{0, 0}).value());
  EXPECT_NE(Hash().add(std::string_view("a\0", 2)).value(), Hash().add("a").value());
  EXPECT_NE(Hash().value(), Hash().add(std::uint64_t{0}).value());
}

TEST(Hash, every_byte_of_a_text_counts) {
  const std::string text = "twenty-one characters";
  std::set<std::uint64_t> values{Hash().add(text).value()};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    values.insert(Hash().add(other).value());
  }
  EXPECT_EQ(values.size(), text.size() + 1);
}

TEST(Hash, percents_of_short_sequences_are_even) {
  std::array<int, 100> counts{};
  for (TokenId a = 0; a < 100; ++a) {
    for (TokenId b = 0; b < 100; ++b) {
      ++counts[Hash().add(Tokens{a, b}).value() % 100];
    }
  }
  // 10,000 values: 100 expected per bin, with a standard deviation of about 10.
  for (const int count : counts) {
    EXPECT_GT(count, 50);
    EXPECT_LT(count, 150);
  }
}

TEST(Hash, is_written_with_16_digits) {
  EXPECT_EQ(Hash().hexadecimal(), "0000000000000000");
  EXPECT_EQ(Hash().add("some text").hexadecimal().size(), 16U);
}

}}  // namespace tapehead
