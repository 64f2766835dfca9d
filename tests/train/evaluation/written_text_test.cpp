// Text is written token by token in whole characters, and ends before a stop text.
#include "train/evaluation/written_text.hpp"

#include "core/text.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

VocabularyTokenizer bytes() { return {all_bytes(), Unit::byte}; }

// The pieces of text joined by "|", without empty pieces.
std::string pieces_of(const std::string& text, std::string_view stop) {
  const VocabularyTokenizer tokenizer = bytes();
  WrittenText written(tokenizer, tokenizer.encode("before "), stop);
  std::string pieces;
  const auto add = [&](const std::string& piece) {
    EXPECT_EQ(utf8_valid_bytes(piece), piece.size());
    pieces += piece.empty() ? "" : (pieces.empty() ? "" : "|") + piece;
  };
  for (const TokenId token : tokenizer.encode(text)) {
    add(written.add(token));
  }
  add(written.finish());
  return pieces;
}

TEST(WrittenText, comes_in_whole_characters) { EXPECT_EQ(pieces_of("aü€😀b", ""), "a|ü|€|😀|b"); }

TEST(WrittenText, has_a_replacement_for_bytes_of_no_character) {
  EXPECT_EQ(pieces_of("a\xC3z", ""), "a|\uFFFDz");
  EXPECT_EQ(pieces_of("\x80\xE2\x82", ""), "\uFFFD|\uFFFD\uFFFD");
}

TEST(WrittenText, holds_back_what_may_become_the_stop_text) {
  EXPECT_EQ(pieces_of("a--b---c", "---"), "a|--b");
  EXPECT_EQ(pieces_of("ab-", "---"), "a|b|-");
  EXPECT_EQ(pieces_of("aüü", "ü"), "a");
}

TEST(WrittenText, says_whether_it_stopped) {
  const VocabularyTokenizer tokenizer = bytes();
  WrittenText written(tokenizer, {}, "bc");
  for (const TokenId token : tokenizer.encode("abcd")) {
    written.add(token);
  }
  EXPECT_TRUE(written.stopped());
  EXPECT_EQ(written.finish(), "");
  EXPECT_EQ(written.text(), "a");
}

TEST(WrittenText, is_whole_however_long) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "wörd " + std::to_string(i) + "\n";
  }
  const VocabularyTokenizer tokenizer = bytes();
  WrittenText written(tokenizer, {}, "no such");
  for (const TokenId token : tokenizer.encode(text)) {
    written.add(token);
  }
  written.finish();
  EXPECT_EQ(written.text(), text);
}

// The space before a word belongs to the generated text.
TEST(WrittenText, of_words_goes_on_with_a_space) {
  const std::vector<std::string> lines{"a b c"};
  const VocabularyTokenizer tokenizer(count_units(lines, Unit::word, 10), Unit::word);
  WrittenText written(tokenizer, tokenizer.encode("a b"), "");
  EXPECT_EQ(written.add(tokenizer.encode("c").front()), " c");
}

}}  // namespace tapehead
