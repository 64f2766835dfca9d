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

TEST(WrittenText, comes_in_whole_characters_and_ends_before_the_stop_text) {
  struct Case {
    std::string text;
    std::string stop;
    std::string pieces;
  };
  for (const auto& [text, stop, pieces] :
       std::vector<Case>{{"aü€😀b", "", "a|ü|€|😀|b"},
                         {"a\xC3z", "", "a|\uFFFDz"},  // bytes of no character
                         {"\x80\xE2\x82", "", "\uFFFD|\uFFFD\uFFFD"},
                         {"a--b---c", "---", "a|--b"},
                         {"ab-", "---", "a|b|-"},
                         {"aüü", "ü", "a"}}) {
    EXPECT_EQ(pieces_of(text, stop), pieces);
  }
}

TEST(WrittenText, says_whether_it_stopped_and_is_whole_however_long) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += "wörd " + std::to_string(i) + "\n";
  }
  const VocabularyTokenizer tokenizer = bytes();
  for (const auto& [text, stop, whole] :
       {std::array<std::string, 3>{"abcd", "bc", "a"}, {lines, "no such", lines}}) {
    WrittenText written(tokenizer, {}, stop);
    for (const TokenId token : tokenizer.encode(text)) {
      written.add(token);
    }
    EXPECT_EQ(written.stopped(), whole != text);
    EXPECT_EQ(written.finish(), "");
    EXPECT_EQ(written.text(), whole);
  }
}

// The space before a word belongs to the generated text.
TEST(WrittenText, of_words_goes_on_with_a_space) {
  const std::vector<std::string> lines{"a b c"};
  const VocabularyTokenizer tokenizer(count_units(lines, Unit::word, 10), Unit::word);
  WrittenText written(tokenizer, tokenizer.encode("a b"), "");
  EXPECT_EQ(written.add(tokenizer.encode("c").front()), " c");
}

}}  // namespace tapehead
