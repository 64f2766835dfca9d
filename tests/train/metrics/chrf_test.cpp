// chrF: its formula by hand, and input that no sacreBLEU run has.
#include "train/metrics/chrf.hpp"

#include "core/errors.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Sentences = std::vector<std::string>;

// By hand: of 2 and 3 characters 2 match, of 1 and 2 pairs 1; P = (1 + 1) / 2, R = (2/3 + 1/2) / 2.
TEST(Chrf, weighs_recall_twice_over_the_orders_that_both_sides_have) {
  const double precision = 1;
  const double recall = (2.0 / 3 + 1.0 / 2) / 2;
  EXPECT_NEAR(corpus_chrf(Sentences{"a b"}, Sentences{" abc"}).score,
              100 * 5 * precision * recall / (4 * precision + recall), 1e-12);
}

TEST(Chrf, of_nothing_in_common_or_no_sentences_is_zero) {
  EXPECT_EQ(corpus_chrf(Sentences{"abc"}, Sentences{"xyz"}).score, 0);
  EXPECT_EQ(corpus_chrf(Sentences{""}, Sentences{"xyz"}).score, 0);
  EXPECT_EQ(corpus_chrf({}, {}).score, 0);
}

// By hand: `b.` is the words `b` and `.`, `(c)` is `(c` and `)`; 4 of 5 words match, and of the
// characters all 6, so the words alone lower the score.
TEST(Chrf, with_words_parts_punctuation_at_the_end_before_that_at_the_beginning) {
  const Sentences hypothesis{"a b. (c)"};
  const Sentences reference{"a b . ( c )"};
  EXPECT_DOUBLE_EQ(corpus_chrf(hypothesis, reference).score, 100);
  const double characters = 6;  // six orders, each with P = R = 1
  const double precision = (characters + 4.0 / 5 + 2.0 / 4) / 8;
  const double recall = (characters + 4.0 / 6 + 2.0 / 5) / 8;
  EXPECT_NEAR(corpus_chrf(hypothesis, reference, {.word_order = 2}).score,
              100 * 5 * precision * recall / (4 * precision + recall), 1e-12);
}

TEST(Chrf, lowers_case_when_asked) {
  EXPECT_LT(corpus_chrf(Sentences{"STRASSE"}, Sentences{"strasse"}).score, 1);
  EXPECT_DOUBLE_EQ(
      corpus_chrf(Sentences{"STRASSE"}, Sentences{"strasse"}, {.lowercase = true}).score, 100);
}

TEST(Chrf, takes_invalid_utf8_for_replacement_characters) {
  EXPECT_DOUBLE_EQ(corpus_chrf(Sentences{"abcdef\xFF"}, Sentences{"abcdef\uFFFD"}).score, 100);
}

TEST(Chrf, refuses_unequal_counts_and_a_negative_word_order) {
  EXPECT_THROW(corpus_chrf(Sentences{"a"}, Sentences{}), ShapeError);
  EXPECT_THROW(corpus_chrf(Sentences{"a"}, Sentences{"a"}, {.word_order = -1}), ConfigError);
}

}}  // namespace tapehead
