// chrF: its formula by hand, and input outside the sacreBLEU fixture.
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Sentences = std::vector<std::string>;

// Matches: 2 characters (of 2 and 3), 1 pair (of 1 and 2). P = (1 + 1) / 2, R = (2/3 + 1/2) / 2.
TEST(Chrf, weighs_recall_twice_over_the_orders_that_both_sides_have) {
  const double precision = 1;
  const double recall = (2.0 / 3 + 1.0 / 2) / 2;
  EXPECT_NEAR(corpus_chrf(Sentences{"a b"}, Sentences{" abc"}),
              100 * 5 * precision * recall / (4 * precision + recall), 1e-12);
}

TEST(Chrf, of_nothing_in_common_or_no_sentences_is_zero) {
  EXPECT_EQ(corpus_chrf(Sentences{"abc"}, Sentences{"xyz"}), 0);
  EXPECT_EQ(corpus_chrf(Sentences{""}, Sentences{"xyz"}), 0);
  EXPECT_EQ(corpus_chrf({}, {}), 0);
}

TEST(Chrf, lowers_case_when_asked) {
  EXPECT_LT(corpus_chrf(Sentences{"STRASSE"}, Sentences{"strasse"}), 1);
  EXPECT_DOUBLE_EQ(corpus_chrf(Sentences{"STRASSE"}, Sentences{"strasse"}, {.lowercase = true}),
                   100);
}

TEST(Chrf, takes_invalid_utf8_for_replacement_characters) {
  EXPECT_DOUBLE_EQ(corpus_chrf(Sentences{"abcdef\xFF"}, Sentences{"abcdef\uFFFD"}), 100);
}

}}  // namespace tapehead
