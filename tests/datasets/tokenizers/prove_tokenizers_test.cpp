// For any text, training gives a tokenizer that writes the text back, or an error of tapehead that
// says why not.
#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "tests/support/hostile_text.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

ParallelTextOptions random_options(HostileText& text, TokenizerKind kind) {
  ParallelTextOptions options;
  options.tokenizer = kind;
  options.train_source = "t.en";
  options.train_target = "t.de";
  options.vocabulary = text.one_of(std::vector<Index>{4, 8, 13, 20, 60, 400, 7000});
  options.joint_vocabulary = text.below(2) == 0;
  options.max_length = text.one_of(std::vector<Index>{5, 100, 100000});
  if (is_sentencepiece(kind)) {
    options.character_coverage = text.one_of(std::vector<double>{1, 1, 0.9995, 0.98});
    options.normalization =
        text.one_of(std::vector<Normalization>{Normalization::identity, Normalization::identity,
                                               Normalization::nfkc, Normalization::nfkc_cf});
  }
  return options;
}

std::string normalised(const Tokenizer& tokenizer, std::string_view line,
                       const ParallelTextOptions& options) {
  if (const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer)) {
    return normalised_text(*pieces, line, options.normalization);
  }
  std::string words;
  if (options.tokenizer == TokenizerKind::word_piece) {
    for (const std::string& word : basic_words(line, word_piece_options(false).words)) {
      const bool follows = word == "." || word == "," || word == "?" || word == "!";
      words += (words.empty() || follows ? "" : " ") + word;
    }
    return words;
  }
  if (options.tokenizer != TokenizerKind::word) {
    return std::string(line);
  }
  for (const std::string_view word : units_of(line, Unit::word)) {
    words += (words.empty() ? "" : " ") + std::string(word);
  }
  return words;
}

// Expects lines without unknown parts back. With full coverage, SentencePiece knows every part of
// lines that were used in training.
void expect_written_back(const Tokenizer& tokenizer, const std::vector<std::string>& lines,
                         const ParallelTextOptions& options) {
  const bool pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr;
  for (const std::string& line : lines) {
    const std::vector<TokenId> tokens = tokenizer.encode(line);
    const bool trained = static_cast<Index>(tokens.size()) <= options.max_length;
    const bool known = tokenizer.unknown_parts(line).empty();
    EXPECT_TRUE(!known || std::ranges::count(tokens, unknown_id) == 0) << line;
    if (known) {
      EXPECT_EQ(tokenizer.decode(tokens), normalised(tokenizer, line, options));
    }
    EXPECT_TRUE(known || !pieces || !trained || options.character_coverage < 1) << line;
  }
}

TEST(ProveTokenizers, are_made_or_refused_with_a_reason) {
  const Index cases = proof_cases(24, 300);
  Index made = 0;
  Index refused = 0;
  for (Index number = 0; number < cases; ++number) {
    const std::vector<std::string> lines = HostileText(number).lines();
    for (std::size_t i = 0; i < EnumNames<TokenizerKind>::names.size(); ++i) {
      const auto kind = static_cast<TokenizerKind>(i);
      HostileText text(number);
      const ParallelTextOptions options = random_options(text, kind);
      const Logged logged;
      SCOPED_TRACE(fmt::format("corpus {}, tokenizer {}", number, name_of(kind)));
      try {
        const Tokenizers tokenizers =
            make_parallel_tokenizers({.source = lines, .target = lines}, options);
        expect_written_back(*tokenizers.source, lines, options);
        expect_written_back(*tokenizers.target, lines, options);
        ++made;
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("t.en"), Not(HasSubstr(".cc(")),
                                        Not(HasSubstr("SentencePiece failed"))));
        ++refused;
      }
    }
  }
  EXPECT_GT(made, cases);  // out of seven times as many
  EXPECT_GT(refused, 0);
  tell_figures(
      fmt::format("tokenizers: {} hostile corpora, 7 kinds each: {} made and written back, {} "
                  "refused with a reason, none broke down",
                  cases, made, refused));
}

}}  // namespace tapehead
