// BLEU: its formula by hand, tokenizers rule by rule, and input outside the sacreBLEU fixture.
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/code_points.hpp"

namespace tapehead { namespace {

using Words = std::vector<std::u32string>;
using Sentences = std::vector<std::string>;

Words tokens(std::u32string sentence, BleuTokenizer tokenizer) {
  Words words;
  for_each_word(tokenize(std::move(sentence), tokenizer),
                [&](std::u32string_view word) { words.emplace_back(word); });
  return words;
}

Words by_13a(std::u32string sentence) { return tokens(std::move(sentence), BleuTokenizer::v13a); }
Words by_intl(std::u32string sentence) { return tokens(std::move(sentence), BleuTokenizer::intl); }

// The expected lists below are TOKENIZER(text).split() in sacreBLEU 2.6.0.
TEST(BleuTokenizer, none_cuts_at_white_space) {
  EXPECT_EQ(tokens(U"\u00A0a.b,  c\u3000d\t", BleuTokenizer::none), (Words{U"a.b,", U"c", U"d"}));
  EXPECT_EQ(tokens(U"", BleuTokenizer::none), Words{});
}

TEST(BleuTokenizer, character_cuts_everywhere) {
  EXPECT_EQ(tokens(U"a b\u0301\U0001F600", BleuTokenizer::character),
            (Words{U"a", U"b", U"\u0301", U"\U0001F600"}));
}

TEST(BleuTokenizer, v13a_parts_ascii_symbols_but_no_others) {
  EXPECT_EQ(by_13a(U"(a) b's \"c\" \u201Cd\u201D\u2014e f/g"),
            (Words{U"(", U"a", U")", U"b's", U"\"", U"c", U"\"", U"\u201Cd\u201D\u2014e", U"f",
                   U"/", U"g"}));
}

TEST(BleuTokenizer, v13a_keeps_points_between_digits_and_dashes_between_letters) {
  EXPECT_EQ(by_13a(U"1,234.56 a.b 1.a a,1 c-d 1-2 3-e."),
            (Words{U"1,234.56", U"a", U".", U"b", U"1", U".", U"a", U"a", U",", U"1", U"c-d", U"1",
                   U"-", U"2", U"3", U"-", U"e", U"."}));
}

TEST(BleuTokenizer, v13a_looks_at_a_replaced_pair_once) {
  EXPECT_EQ(by_13a(U"1.,2"), (Words{U"1", U".", U",", U"2"}));
  EXPECT_EQ(by_13a(U"5.."), (Words{U"5", U".", U"."}));
  EXPECT_EQ(by_13a(U"1--2"), (Words{U"1", U"-", U"-2"}));
}

TEST(BleuTokenizer, v13a_undoes_entities_in_order_and_joins_lines) {
  EXPECT_EQ(by_13a(U"&quot;&amp;lt;&amp;quot;&apos;"),
            (Words{U"\"", U"<", U"&", U"quot", U";", U"&", U"apos", U";"}));
  EXPECT_EQ(by_13a(U"a<skipped>b c-\nd e\nf"), (Words{U"ab", U"cd", U"e", U"f"}));
  EXPECT_EQ(by_13a(U"<skip<skipped>ped>"), (Words{U"<", U"skipped", U">"}));
}

TEST(BleuTokenizer, intl_goes_by_unicode_categories) {
  EXPECT_EQ(by_intl(U"\u201Cd\u201D\u2014e 5\u20AC \u266Ax"),
            (Words{U"\u201C", U"d", U"\u201D", U"\u2014", U"e", U"5", U"\u20AC", U"\u266A", U"x"}));
  EXPECT_EQ(by_intl(U"\u0663\u066B\u0661 \u00BD.\u00BD 1-2"),
            (Words{U"\u0663\u066B\u0661", U"\u00BD.\u00BD", U"1-2"}));
}

TEST(BleuTokenizer, intl_leaves_a_full_stop_at_the_end_with_its_number) {
  EXPECT_EQ(by_intl(U"in 2020."), (Words{U"in", U"2020."}));
  EXPECT_EQ(by_intl(U"in 2020. So"), (Words{U"in", U"2020", U".", U"So"}));
}

// By hand: n-gram matches 3 of 4, 1 of 3, 0 of 2, 0 of 1; one word is missing: e^(1 - 5/4).
TEST(Bleu, is_the_smoothed_geometric_mean_times_the_brevity_penalty) {
  const BleuScore bleu = corpus_bleu(Sentences{"a b x d"}, Sentences{"a b c d e"});
  EXPECT_THAT(bleu.precisions, ElementsAre(75, 100.0 / 3, 100.0 / (2 * 2), 100.0 / (4 * 1)));
  EXPECT_DOUBLE_EQ(bleu.brevity_penalty, std::exp(-0.25));
  EXPECT_NEAR(bleu.score, std::exp(-0.25) * std::pow(75 * 100.0 / 3 * 25 * 25, 0.25), 1e-12);
  EXPECT_EQ(bleu.hypothesis_length, 4);
  EXPECT_EQ(bleu.reference_length, 5);
}

TEST(Bleu, counts_over_the_corpus_but_matches_within_a_sentence) {
  const BleuScore bleu = corpus_bleu(Sentences{"a b c d", "e"}, Sentences{"a b c d", "a"});
  EXPECT_DOUBLE_EQ(bleu.precisions[0], 80);
  EXPECT_DOUBLE_EQ(bleu.precisions[3], 100);
}

TEST(Bleu, of_no_sentences_is_zero) {
  const BleuScore bleu = corpus_bleu({}, {});
  EXPECT_EQ(bleu.score, 0);
  EXPECT_EQ(bleu.hypothesis_length, 0);
}

TEST(Bleu, takes_invalid_utf8_for_replacement_characters) {
  const Sentences broken{"a \xFF b c \xE2\x82", "\xC3"};
  const Sentences replaced{"a \uFFFD b c \uFFFD\uFFFD", "\uFFFD"};
  for (const auto tokenizer :
       {BleuTokenizer::none, BleuTokenizer::v13a, BleuTokenizer::intl, BleuTokenizer::character}) {
    const EvaluationOptions options{.bleu_tokenizer = tokenizer, .lowercase = true};
    EXPECT_NEAR(corpus_bleu(broken, replaced, options).score, 100, 1e-9);
  }
}

}}  // namespace tapehead
