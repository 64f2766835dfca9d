// The word of each token: the decoded tokens of a word equal the space-separated word in the text.
#include "datasets/tokenizers/tokenizer.hpp"

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

std::vector<std::string> words_between_spaces(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The text of each word, from the tokens with its number.
std::vector<std::string> words_by_number(const Tokenizer& tokenizer, const std::string& line) {
  const std::vector<TokenId> tokens = tokenizer.encode(line);
  const auto numbers = words_of_tokens(tokenizer, tokens);
  std::vector<std::vector<TokenId>> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    words.resize(static_cast<std::size_t>(numbers.value().at(i)) + 1);
    words.back().push_back(tokens[i]);
  }
  std::vector<std::string> texts;
  for (const std::vector<TokenId>& word : words) {
    texts.push_back(tokenizer.decode(word));
  }
  return texts;
}

TEST(TokenWords, of_subwords_are_what_spaces_separate) {
  const std::vector<std::string> lines = read_lines(corpus / "train.de");
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const SentencePieceTokenizer tokenizer(
        train_sentencepiece(lines, {.kind = kind, .vocabulary = 60}));
    for (const std::string& line : lines) {
      EXPECT_EQ(words_by_number(tokenizer, line), words_between_spaces(line));
    }
    EXPECT_GT(tokenizer.encode(lines[0]).size(), words_between_spaces(lines[0]).size())
        << "so words have several tokens";
    EXPECT_TRUE(words_of_tokens(tokenizer, {})->empty());
  }
}

// Each word except the first includes the space before it.
TEST(TokenWords, of_merged_bytes_are_what_spaces_separate) {
  const std::vector<std::string> lines = read_lines(corpus / "train.de");
  const ByteBpe tokenizer(train_byte_bpe(lines, 300));
  for (const std::string& line : lines) {
    std::vector<std::string> words = words_between_spaces(line);
    for (std::size_t i = 1; i < words.size(); ++i) {
      words[i].insert(0, " ");
    }
    EXPECT_EQ(words_by_number(tokenizer, line), words);
  }
}

TEST(TokenWords, of_merged_bytes_hold_all_spaces_before_them) {
  const ByteBpe tokenizer(train_byte_bpe({}, smallest_byte_bpe));
  EXPECT_EQ(words_by_number(tokenizer, "ab   c  d"),
            (std::vector<std::string>{"ab", "   c", "  d"}));
  EXPECT_EQ(words_by_number(tokenizer, "  ab c"), (std::vector<std::string>{"  ab", " c"}));
}

TEST(TokenWords, of_word_pieces_are_what_spaces_and_punctuation_separate) {
  const WordPiece tokenizer({"ab", "##c", ",", "d"}, {});
  EXPECT_EQ(words_by_number(tokenizer, "abcc, d abc"),
            (std::vector<std::string>{"abcc", ",", "d", "abc"}));
}

TEST(TokenWords, are_asked_for_in_vain_where_tokens_are_no_parts_of_words) {
  EXPECT_FALSE(words_of_tokens(*numbered_tokenizer({{"{}", 5}}), {3, 4}).has_value());
  EXPECT_FALSE(words_of_tokens(VocabularyTokenizer(all_bytes(), Unit::byte), {70}).has_value());
}

}}  // namespace tapehead
