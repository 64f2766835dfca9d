// ROUGE-L, token F1 and exact match: every figure of the fixture equals that of rouge-score, or
// SQuAD's definition. BLEU's tokenizers rule by rule, and BLEU and chrF of input outside the
// sacreBLEU fixture.
#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/code_points.hpp"
#include "train/metrics/overlap_metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

// Written by `scripts/make_fixtures.py overlap`, which rounds to 11 decimals.
TEST(Overlap, of_every_pair_and_their_means) {
  constexpr double rounding = 1e-10;
  const auto json = nlohmann::json::parse(read_file(TAPEHEAD_FIXTURES "/overlap/pairs.json"));
  std::vector<ExampleScore> scored;
  std::array<double, 3> sums{};
  for (const auto& pair : json.at("pairs")) {
    const std::string output = pair.at(0);
    const std::string reference = pair.at(1);
    SCOPED_TRACE("`" + output + "` for `" + reference + "`");
    EXPECT_NEAR(rouge_l(output, reference), pair.at(2).get<double>(), rounding);
    EXPECT_NEAR(token_f1(output, reference), pair.at(3).get<double>(), rounding);
    EXPECT_EQ(exact_match(output, reference), pair.at(4).get<bool>());
    scored.push_back({.output = output, .reference = reference});
    sums[0] += pair.at(2).get<double>();
    sums[1] += pair.at(3).get<double>();
    sums[2] += pair.at(4).get<bool>() ? 1 : 0;
  }
  EXPECT_GE(scored.size(), 300U);
  const auto count = static_cast<double>(scored.size());
  EXPECT_NEAR(measure(rouge_l_metric, scored, {}), sums[0] / count, rounding);
  EXPECT_NEAR(measure(token_f1_metric, scored, {}), sums[1] / count, rounding);
  EXPECT_NEAR(measure(exact_match_metric, scored, {}), sums[2] / count, rounding);
  EXPECT_THAT(rouge_signature({}), EndsWith("rouge-score:0.1.2"));  // from scripts/
}

TEST(Overlap, a_byte_that_is_no_text_separates_words) {
  EXPECT_EQ(rouge_words("a\xff"
                        "b"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(answer_words("x\xff"),
            std::vector<std::u32string>{U"x\ufffd"});  // not ASCII punctuation
}

using Sentences = std::vector<std::string>;

// The tokens are those of sacreBLEU 2.6.0, with spaces between them. The corpora of its fixture
// have the other cases: entities, joined lines, skipped marks, pairs of symbols that are replaced
// at once.
TEST(BleuTokenizer, cuts_as_in_sacrebleu) {
  using enum BleuTokenizer;
  const std::vector<std::tuple<BleuTokenizer, std::u32string, std::u32string>> cases{
      // Neither points between digits nor dashes between letters are parted.
      {v13a, U"1,234.56 a.b 1.a a,1 c-d 1-2 3-e.", U"1,234.56 a . b 1 . a a , 1 c-d 1 - 2 3 - e ."},
      // Unicode categories decide; a full stop at the end stays with its number.
      {intl, U"\u201Cd\u201D\u2014e 5\u20AC \u266Ax",
       U"\u201C d \u201D \u2014 e 5 \u20AC \u266A x"},
      {intl, U"\u0663\u066B\u0661 \u00BD.\u00BD 1-2", U"\u0663\u066B\u0661 \u00BD.\u00BD 1-2"},
      {intl, U"in 2020.", U"in 2020."},
      {intl, U"in 2020. So", U"in 2020 . So"},
  };
  for (const auto& [tokenizer, sentence, expected] : cases) {
    std::u32string tokens;
    for_each_word(tokenize(sentence, tokenizer), [&](std::u32string_view word) {
      tokens += tokens.empty() ? U"" : U" ";
      tokens += word;
    });
    EXPECT_EQ(tokens, expected);
  }
}

TEST(Bleu, of_no_sentences_is_zero) {
  const BleuScore bleu = corpus_bleu({}, {});
  EXPECT_EQ(bleu.score, 0);
  EXPECT_EQ(bleu.hypothesis_length, 0);
  EXPECT_EQ(corpus_chrf({}, {}), 0);
}

TEST(Bleu, takes_invalid_utf8_for_replacement_characters) {
  const Sentences broken{"a \xFF b c \xE2\x82", "\xC3"};
  const Sentences replaced{"a \uFFFD b c \uFFFD\uFFFD", "\uFFFD"};
  for (const auto tokenizer :
       {BleuTokenizer::none, BleuTokenizer::v13a, BleuTokenizer::intl, BleuTokenizer::character}) {
    const EvaluationOptions options{.bleu_tokenizer = tokenizer, .lowercase = true};
    EXPECT_NEAR(corpus_bleu(broken, replaced, options).score, 100, 1e-9);
  }
  EXPECT_DOUBLE_EQ(corpus_chrf(Sentences{"abcdef\xFF"}, Sentences{"abcdef\uFFFD"}), 100);
}

}}  // namespace tapehead
