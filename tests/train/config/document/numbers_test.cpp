// Numbers as people write them in a config.
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

template <class Function>
std::string problem(Function&& parse, std::string_view text) {
  return message_of<ConfigError>([&] { parse(text); });
}

TEST(ConfigNumbers, are_read_in_any_notation) {
  const std::vector<std::pair<std::string, double>> numbers{
      {"1e-4", 1e-4}, {"0.1", 0.1}, {"+2.5E3", 2500},
      {".5", 0.5},    {"-0", 0},    {"1_000.25", 1000.25}};
  for (const auto& [text, number] : numbers) {
    EXPECT_EQ(parse_number(text), number) << text;
  }
  const std::vector<std::pair<std::string, std::int64_t>> whole{
      {"2048", 2048},
      {"-3", -3},
      {"1_000_000", 1000000},
      {"2e3", 2000},
      {"4.0", 4},
      {"0", 0},
      {"0e5", 0},
      {"0.00025e7", 2500},
      {"2500000e-3", 2500},
      {"9007199254740993", 9007199254740993},  // 2^53 + 1, not a double
      {"9007199254740992.0", 9007199254740992},
      {"-9007199254740992e0", -9007199254740992}};
  for (const auto& [text, number] : whole) {
    EXPECT_EQ(parse_whole(text), number) << text;
  }
  EXPECT_EQ(parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(ConfigNumbers, that_are_none_or_out_of_range_are_refused) {
  for (const auto* text : {"", "-", "four", "4x", "1 000", "1,000", "0x10", "0o10", "1e", "_1",
                           "1_", "1__0", "--1", "+-1", ".", "1.2.3"}) {
    EXPECT_EQ(problem(parse_number, text), "not a number") << text;
    EXPECT_EQ(problem(parse_whole, text), "not a number") << text;
  }
  for (const auto* text : {"nan", ".nan", "NaN", "inf", "-.inf", "+Infinity"}) {
    EXPECT_EQ(problem(parse_number, text), "not finite") << text;
    EXPECT_EQ(problem(parse_whole, text), "not finite") << text;
  }
  EXPECT_EQ(problem(parse_number, "1e400"), "out of range");
  EXPECT_EQ(problem(parse_number, "-0.001e-400"), "too close to 0");
  EXPECT_EQ(problem(parse_whole, "2.5"), "not a whole number");
  EXPECT_EQ(problem(parse_whole, "9223372036854775808"), "out of range");  // 2^63
  EXPECT_EQ(problem(parse_whole, "1e19"), "out of range");
  EXPECT_EQ(problem(parse_unsigned, "-1"), "out of range");
  EXPECT_EQ(problem(parse_unsigned, "1e20"), "out of range");
  EXPECT_EQ(problem(parse_unsigned, "18446744073709551616"), "out of range");
  // As doubles, these would be whole numbers.
  for (const auto* text :
       {"4.00000000000000000000001", "9007199254740991.4", "1e-400", "25e-1", "0.1e-1"}) {
    EXPECT_NE(problem(parse_whole, text), "no error") << text;
  }
}

// Other YAML and JSON readers take these for doubles and round them, or read them as octal.
TEST(ConfigNumbers, that_others_read_differently_are_refused) {
  const std::string write = "whole numbers beyond 2^53 take no point and no exponent: write ";
  EXPECT_EQ(problem(parse_unsigned, "9007199254740993.0"), write + "9007199254740993");
  EXPECT_EQ(problem(parse_whole, "9007199254740993.0"), write + "9007199254740993");
  EXPECT_EQ(problem(parse_whole, "-9.007199254740993e15"), write + "-9007199254740993");
  EXPECT_EQ(problem(parse_unsigned, "1e19"), write + "10000000000000000000");
  const std::string octal = "a leading zero, which some programs read as octal: write ";
  EXPECT_EQ(problem(parse_whole, "010"), octal + "10");
  EXPECT_EQ(problem(parse_number, "00.5"), octal + "0.5");
  EXPECT_EQ(problem(parse_whole, "-007"), octal + "7");
  EXPECT_EQ(problem(parse_whole, "00"), octal + "0");
}

}}  // namespace tapehead
