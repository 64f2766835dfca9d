// Code points: text decoded, split and lower-cased as in Python.
#include "train/metrics/code_points.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::u32string lowered(std::u32string text) { return lower_case(std::move(text)); }

TEST(CodePoints, characters_of_one_to_four_bytes_are_decoded) {
  EXPECT_EQ(decode_utf8(""), U"");
  EXPECT_EQ(decode_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"), U"a\u00E9\u20AC\U0001F600z");
  EXPECT_EQ(decode_utf8("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80"),
            U"\x7F\u0080\u07FF\u0800\uFFFF\U00010000");
  EXPECT_EQ(decode_utf8("\xF4\x8F\xBF\xBF"), U"\U0010FFFF");
  EXPECT_EQ(decode_utf8(std::string_view("a\0b", 3)), std::u32string_view(U"a\0b", 3));
}

TEST(CodePoints, each_byte_of_no_character_becomes_a_replacement_character) {
  EXPECT_EQ(decode_utf8("a\xFF"
                        "b"),
            U"a\uFFFDb");
  EXPECT_EQ(decode_utf8("\xC3"), U"\uFFFD");                                // truncated
  EXPECT_EQ(decode_utf8("\xE2\x82"), U"\uFFFD\uFFFD");                      // truncated
  EXPECT_EQ(decode_utf8("\xC0\xAF"), U"\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
}

// Python 3.11: [c for c in map(chr, range(0x110000)) if c.isspace()].
TEST(CodePoints, white_space_is_pythons) {
  std::u32string spaces;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_space(c)) {
      spaces += c;
    }
  }
  EXPECT_EQ(spaces,
            U"\t\n\v\f\r\x1C\x1D\x1E\x1F \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
            U"\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000");
}

// The right-hand sides come from str.lower() in Python 3.11.
TEST(CodePoints, letters_are_lowered) {
  EXPECT_EQ(lowered(U"Az09[]@`{\u00C4\u00D6\u00DF\u1E9E"), U"az09[]@`{\u00E4\u00F6\u00DF\u00DF");
  EXPECT_EQ(lowered(U"\u0416\u0531\u01C4\u01C5\u2167\u24B6\u2126\u212A"),
            U"\u0436\u0561\u01C6\u01C6\u2177\u24D0\u03C9k");
  EXPECT_EQ(lowered(U"\U00010400"), U"\U00010428");
  // A dotted capital I keeps its dot.
  EXPECT_EQ(lowered(U"\u0130I\u0131"), U"i\u0307i\u0131");
  EXPECT_EQ(lowered(U"\u0130\u0130X"), U"i\u0307i\u0307x");
}

TEST(CodePoints, a_sigma_is_final_after_a_letter_and_before_none) {
  EXPECT_EQ(lowered(U"\u039F\u0394\u039F\u03A3"), U"\u03BF\u03B4\u03BF\u03C2");
  EXPECT_EQ(lowered(U"\u03A3\u0391\u03A3 \u03A3"), U"\u03C3\u03B1\u03C2 \u03C3");
  EXPECT_EQ(lowered(U"A\u03A3."), U"a\u03C2.");
  EXPECT_EQ(lowered(U"1\u03A3"), U"1\u03C3");
  // Marks, full stops, apostrophes and soft hyphens are skipped on either side.
  EXPECT_EQ(lowered(U"A\u0301\u03A3"), U"a\u0301\u03C2");
  EXPECT_EQ(lowered(U"A.\u03A3"), U"a.\u03C2");
  EXPECT_EQ(lowered(U"A\u03A3.\u0392"), U"a\u03C3.\u03B2");
  EXPECT_EQ(lowered(U"A\u03A3\u00AD'B"), U"a\u03C3\u00AD'b");
  EXPECT_EQ(lowered(U"A\u03A3\u0301 B"), U"a\u03C2\u0301 b");
  // U+02B0 has case but is ignorable, so it is skipped.
  EXPECT_EQ(lowered(U"\u02B0\u03A3"), U"\u02B0\u03C3");
}

}}  // namespace tapehead
