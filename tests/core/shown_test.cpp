// Foreign text in messages: escaped, on one line, and not too long.
#include "core/text.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(Shown, what_can_be_read_stays_as_it_is) {
  for (const std::string text : {"", "a b", "äöü あ 😀", "100 %", "C:\\x", "\"quoted\""}) {
    EXPECT_EQ(shown(text), text);
    EXPECT_FALSE(has_hidden_characters(text));
  }
}

TEST(Shown, characters_that_act_on_a_terminal_are_escaped) {
  EXPECT_EQ(shown("dr\rERASED\n\t"), "dr\\rERASED\\n\\t");
  EXPECT_EQ(shown("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(shown(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(shown("\x7F"), "\\x7f");
  // U+009B starts a control sequence like ESC [; U+202E reverses the direction, U+2028 ends a line.
  EXPECT_EQ(shown("\xC2\x9B"
                  "31m \xE2\x80\xAE \xE2\x80\xA8 \xEF\xBB\xBF"),
            "\\u009b31m \\u202e \\u2028 \\ufeff");
}

TEST(Shown, bytes_that_are_no_text_are_told) {
  EXPECT_EQ(shown("a\xFF"
                  "b\xC3"),
            "a\\xffb\\xc3");
}

TEST(Shown, the_middle_of_what_is_long_is_left_out) {
  EXPECT_EQ(shown(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(shown("begin" + std::string(300, 'x') + "end"),
            "begin" + std::string(145, 'x') + " ... " + std::string(47, 'x') + "end");
  EXPECT_EQ(shown("äöüäöüäöü", 8), "äöüäöü ... öü");          // characters, not bytes
  EXPECT_EQ(shown(std::string(1 << 20, '\n')).size(), 405U);  // 200 escapes of two characters each
}

TEST(Printable, a_message_keeps_its_lines_and_nothing_else) {
  EXPECT_EQ(printable("one\n  two\r\x1b[2J\n"), "one\n  two\\r\\x1b[2J\n");
  EXPECT_LT(printable("a\n" + std::string(100000, 'x')).size(), 4100U);
}

TEST(HiddenCharacters, are_those_that_would_be_escaped) {
  for (const std::string text : {"a\tb", "\n", "\x7F", "\xC2\x85", "\xE2\x81\xA6", "\xFF"}) {
    EXPECT_TRUE(has_hidden_characters(text));
    EXPECT_NE(shown(text), text);
  }
}

}}  // namespace tapehead
