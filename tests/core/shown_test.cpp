// Text: UTF-8, numbers, foreign text in messages, error messages of the C++ library, name patterns.
#include "core/text.hpp"

#include <new>
#include <system_error>

#include "core/files/process.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

using Texts = std::vector<std::string>;

// The first and last of each row in table 3-7 of The Unicode Standard, "Well-Formed UTF-8 Byte
// Sequences", and NUL.
TEST(Utf8, the_first_and_last_of_each_row_are_valid) {
  for (const std::string& text :
       Texts{"\x01", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xE0\xBF\xBF", "\xE1\x80\x80",
             "\xEC\xBF\xBF", "\xED\x80\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
             "\xF0\x90\x80\x80", "\xF0\xBF\xBF\xBF", "\xF1\x80\x80\x80", "\xF3\xBF\xBF\xBF",
             "\xF4\x80\x80\x80", "\xF4\x8F\xBF\xBF", std::string(1, '\0')}) {
    EXPECT_EQ(utf8_length(text), text.size());
    EXPECT_EQ(utf8_length(text + "a"), text.size());
  }
}

// Bytes out of place, rows with too few bytes, forms that are too long, surrogates, beyond
// U+10FFFF.
TEST(Utf8, what_lies_just_outside_is_not) {
  const Texts invalid{"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0"};
  const Texts of_three{"\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xE1\x80", "\xE1\x80\x7F"};
  const Texts of_four{"\xE1\x80\xC0", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF1\x80\x80"};
  const Texts others{"\xF1\x80\x80\x7F", "\xF1\x80\x7F\x80", "\xF5\x80\x80\x80", "\xFF", ""};
  for (const Texts& texts : {invalid, of_three, of_four, others}) {
    for (const std::string& text : texts) {
      EXPECT_EQ(utf8_length(text), 0U) << shown(text);
    }
  }
}

TEST(Utf8, valid_bytes_end_where_the_first_invalid_one_stands) {
  EXPECT_EQ(utf8_valid_bytes(""), 0U);
  EXPECT_EQ(utf8_valid_bytes("straße €"), std::string_view("straße €").size());
  EXPECT_EQ(utf8_valid_bytes("stra\337e"), 4U);  // Latin-1
}

TEST(WholeNumber, is_all_of_the_text_or_nothing) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("-3"), -3);
  for (const char* const text : {"", "-", " 1", "1 ", "1.5", "+1", "x", "99999999999999999999"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

TEST(Shown, what_can_be_read_stays_as_it_is) {
  for (const std::string text : {"", "a b", "äöü あ 😀", "100 %", "C:\\x", "\"quoted\""}) {
    EXPECT_EQ(shown(text), text);
    EXPECT_FALSE(has_hidden_characters(text));
  }
}

TEST(Shown, characters_that_act_on_a_terminal_are_escaped) {
  // U+009B starts a control sequence like ESC [; U+202E reverses the direction, U+2028 ends a line.
  const std::vector<std::pair<std::string, std::string>> cases{
      {"dr\rERASED\n\t", "dr\\rERASED\\n\\t"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\x7F", "\\u007f"},
      {"\302\23331m \u202E \u2028 \uFEFF", "\\u009b31m \\u202e \\u2028 \\ufeff"},
      {"a\377b\303", "a\\xffb\\xc3"}};  // bytes that are no text
  for (const auto& [text, escaped] : cases) {
    EXPECT_EQ(shown(text), escaped);
  }
  for (const std::string text : {"a\tb", "\n", "\x7F", "\xC2\x85", "\xE2\x81\xA6", "\xFF"}) {
    EXPECT_TRUE(has_hidden_characters(text));
    EXPECT_NE(shown(text), text);
  }
}

TEST(Shown, the_middle_of_what_is_long_is_left_out) {
  EXPECT_EQ(shown(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(shown("begin" + std::string(300, 'x') + "end"),
            "begin" + std::string(145, 'x') + " ... " + std::string(47, 'x') + "end");
  EXPECT_EQ(shown("äöüäöüäöü", 8), "äöüäöü ... öü");          // characters, not bytes
  EXPECT_EQ(shown(std::string(1 << 20, '\n')).size(), 405U);  // 200 escapes of two characters each
}

// JSON escapes the other control characters itself.
TEST(Visible, keeps_lines_and_tabs_and_the_value_of_json) {
  EXPECT_EQ(visible("a\n\tb\r\x1b[2J\xFF\n"), "a\n\tb\\r\\x1b[2J\\xff\n");
  EXPECT_EQ(visible("\"\x7F\302\233\u2028\uFEFF\""), R"("\u007f\u009b\u2028\ufeff")");
  EXPECT_EQ(visible(std::string(5000, 'x')), std::string(5000, 'x'));
}

TEST(Printable, a_message_keeps_its_lines_and_nothing_else) {
  EXPECT_EQ(printable("one\n  two\r\x1b[2J\n"), "one\n  two\\r\\x1b[2J\n");
  EXPECT_LT(printable("a\n" + std::string(100000, 'x')).size(), 4100U);
}

std::string said_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return plain_message(error);
  }
  return "no error";
}

TEST(PlainMessage, of_the_library_is_in_plain_words_and_our_own_unchanged) {
  EXPECT_THAT(said_of([] { throw std::bad_alloc(); }), StartsWith("out of memory; try a smaller"));
  EXPECT_THAT(said_of([] { std::vector<int>().reserve(~std::size_t{0}); }),
              StartsWith("out of memory; "));
  EXPECT_EQ(said_of([] { std::filesystem::rename("/nowhere/a", "/nowhere/b"); }),
            "cannot use /nowhere/a: No such file or directory");
  const std::error_code reason = std::make_error_code(std::errc::no_such_file_or_directory);
  EXPECT_EQ(
      said_of([&] { throw std::filesystem::filesystem_error("cannot get current path", reason); }),
      "cannot get current path: No such file or directory");
  EXPECT_EQ(said_of([] { throw DataError("a:3: no target"); }), "a:3: no target");
  EXPECT_THAT(  // from a process apart
      message_of<DataError>([] { isolated([]() -> std::string { throw std::bad_alloc(); }); }),
      StartsWith("out of memory; "));
}

TEST(NamePatterns, match_the_whole_name_with_a_star_for_any_characters_and_for_none) {
  const std::vector<std::tuple<const char*, const char*, bool>> cases{
      {"output.weight", "output.weight", true},
      {"output", "output.weight", false},
      {"weight", "output.weight", false},
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "encoder.layers.0.self.key.weight", true},
      {"*.weight", "output.weight", true},
      {"output*", "output", true},
      {"decoder.layers.*.self.*.weight", "decoder.layers.11.self.key.weight", true},
      {"decoder.layers.*.cross.*.weight", "decoder.layers.11.self.key.weight", false},
      {"*a*a*", "a", false},
      {"*a*a*", "banana", true}};
  for (const auto& [pattern, name, expected] : cases) {
    EXPECT_EQ(matches(pattern, name), expected) << pattern << ", " << name;
  }
}

// Worked out by hand: the insertions, deletions and replacements in the name.
TEST(NamePatterns, are_some_edits_away_from_a_name) {
  EXPECT_EQ(pattern_distance("layer", "layers"), 1);
  EXPECT_EQ(pattern_distance("layers", "layer"), 1);
  EXPECT_EQ(pattern_distance("key", "kay"), 1);
  EXPECT_EQ(pattern_distance("*.key", "self.kay"), 1);
  EXPECT_EQ(pattern_distance("a*", "bcd"), 1);
  EXPECT_EQ(pattern_distance("abc", ""), 3);
}

// Test vectors of RFC 4648, section 10.
TEST(Base64, is_that_of_the_standard) {
  for (const auto& [bytes, digits] : {std::pair("", ""),
                                      {"f", "Zg=="},
                                      {"fo", "Zm8="},
                                      {"foo", "Zm9v"},
                                      {"foobar", "Zm9vYmFy"},
                                      {"\xFB\xFF", "+/8="}}) {  // 111110 111111 1111(00)
    EXPECT_EQ(base64_of(bytes), digits);
  }
}

}}  // namespace tapehead
