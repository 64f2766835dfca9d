// Numbers as people write them in a config.
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

template <class Function>
std::string problem(Function&& parse, std::string_view text) {
  try {
    parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigNumbers, decimals_and_exponents) {
  EXPECT_EQ(parse_number("1e-4"), 1e-4);
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("+2.5E3"), 2500);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("-0"), 0);
  EXPECT_EQ(parse_number("1_000.25"), 1000.25);
}

TEST(ConfigNumbers, whole_numbers_in_any_notation_that_is_whole) {
  EXPECT_EQ(parse_whole("2048"), 2048);
  EXPECT_EQ(parse_whole("-3"), -3);
  EXPECT_EQ(parse_whole("1_000_000"), 1000000);
  EXPECT_EQ(parse_whole("2e3"), 2000);
  EXPECT_EQ(parse_whole("4.0"), 4);
  EXPECT_EQ(parse_whole("0"), 0);
}

TEST(ConfigNumbers, whole_numbers_are_exact_to_their_last_digit) {
  EXPECT_EQ(parse_whole("9007199254740993"), 9007199254740993);  // 2^53 + 1, not a double
  EXPECT_EQ(parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(problem(parse_whole, "9223372036854775808"), "out of range");  // 2^63
  EXPECT_EQ(problem(parse_unsigned, "18446744073709551616"), "out of range");
}

// Other YAML and JSON readers take these for doubles and round them.
TEST(ConfigNumbers, whole_numbers_beyond_2_to_the_53_are_written_out) {
  const std::string write = "whole numbers beyond 2^53 take no point and no exponent: write ";
  EXPECT_EQ(problem(parse_unsigned, "9007199254740993.0"), write + "9007199254740993");
  EXPECT_EQ(problem(parse_whole, "9007199254740993.0"), write + "9007199254740993");
  EXPECT_EQ(problem(parse_whole, "-9.007199254740993e15"), write + "-9007199254740993");
  EXPECT_EQ(problem(parse_unsigned, "1e19"), write + "10000000000000000000");
  EXPECT_EQ(problem(parse_whole, "1e19"), "out of range");
  EXPECT_EQ(problem(parse_unsigned, "1e20"), "out of range");
  EXPECT_EQ(parse_whole("9007199254740992.0"), 9007199254740992);  // 2^53
  EXPECT_EQ(parse_whole("-9007199254740992e0"), -9007199254740992);
}

// As doubles, these would be whole numbers.
TEST(ConfigNumbers, digits_behind_the_point_are_read_to_the_last) {
  for (const auto* text :
       {"4.00000000000000000000001", "9007199254740991.4", "1e-400", "25e-1", "0.1e-1"}) {
    EXPECT_NE(problem(parse_whole, text), "accepted") << text;
  }
  EXPECT_EQ(parse_whole("0.00025e7"), 2500);
  EXPECT_EQ(parse_whole("2500000e-3"), 2500);
  EXPECT_EQ(parse_whole("0e5"), 0);
}

TEST(ConfigNumbers, octal_looking_numbers_are_refused) {
  EXPECT_EQ(problem(parse_whole, "010"), "a leading zero, which some read as octal: write 10");
  EXPECT_EQ(problem(parse_number, "00.5"), "a leading zero, which some read as octal: write 0.5");
  EXPECT_EQ(problem(parse_whole, "-007"), "a leading zero, which some read as octal: write 7");
  EXPECT_EQ(problem(parse_whole, "00"), "a leading zero, which some read as octal: write 0");
}

TEST(ConfigNumbers, what_is_not_finite_is_refused) {
  for (const auto* text : {"nan", ".nan", "NaN", "inf", "-.inf", "+Infinity"}) {
    EXPECT_EQ(problem(parse_number, text), "not finite") << text;
    EXPECT_EQ(problem(parse_whole, text), "not finite") << text;
  }
  EXPECT_EQ(problem(parse_number, "1e400"), "out of range");
  EXPECT_EQ(problem(parse_number, "-0.001e-400"), "too close to 0");
}

TEST(ConfigNumbers, what_is_no_number_is_refused) {
  for (const auto* text : {"", "-", "four", "4x", "1 000", "1,000", "0x10", "0o10", "1e", "_1",
                           "1_", "1__0", "--1", "+-1", ".", "1.2.3"}) {
    EXPECT_EQ(problem(parse_number, text), "not a number") << text;
    EXPECT_EQ(problem(parse_whole, text), "not a number") << text;
  }
  EXPECT_EQ(problem(parse_whole, "2.5"), "not a whole number");
  EXPECT_EQ(problem(parse_unsigned, "-1"), "out of range");
}

}}  // namespace tapehead
