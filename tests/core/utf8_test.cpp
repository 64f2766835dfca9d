// UTF-8: the boundaries in table 3-7 of The Unicode Standard, "Well-Formed UTF-8 Byte Sequences".
#include "core/text.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Utf8, the_first_and_last_of_each_row_are_valid) {
  for (const std::string_view text :
       {"\x01", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xE0\xBF\xBF", "\xE1\x80\x80",
        "\xEC\xBF\xBF", "\xED\x80\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF0\xBF\xBF\xBF", "\xF1\x80\x80\x80", "\xF3\xBF\xBF\xBF",
        "\xF4\x80\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(utf8_length(text), text.size());
    EXPECT_EQ(utf8_length(std::string(text) + "a"), text.size());
  }
  EXPECT_EQ(utf8_length(std::string_view("\0", 1)), 1U);
}

TEST(Utf8, what_lies_just_outside_is_not) {
  for (const std::string_view text : {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2\x7F",
                                      "\xC2\xC0",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE1\x80",
                                      "\xE1\x80\x7F",
                                      "\xE1\x80\xC0",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF1\x80\x80",
                                      "\xF1\x80\x80\x7F",
                                      "\xF1\x80\x7F\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      ""}) {
    EXPECT_EQ(utf8_length(text), 0U);
  }
}

TEST(Utf8, valid_bytes_end_where_the_first_invalid_one_stands) {
  EXPECT_EQ(utf8_valid_bytes(""), 0U);
  EXPECT_EQ(utf8_valid_bytes("straße €"), std::string_view("straße €").size());
  EXPECT_EQ(utf8_valid_bytes("stra\xDF"
                             "e"),
            4U);  // Latin-1
}

TEST(WholeNumber, is_all_of_the_text_or_nothing) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("-3"), -3);
  for (const char* const text : {"", "-", " 1", "1 ", "1.5", "+1", "x", "99999999999999999999"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

}}  // namespace tapehead
