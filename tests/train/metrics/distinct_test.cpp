// distinct-n for examples counted by hand.
#include "tests/support/testing.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead { namespace {

using Texts = std::vector<std::string>;

// Nine words, five of them distinct: the, cat, sat, on, mat. Seven pairs; (the, cat) and (cat, sat)
// occur twice. Definition: Li et al. 2016, section 5.1, for pairs over all pairs.
TEST(Distinct, different_ngrams_over_all) {
  const auto [words, pairs] = distinct_ngrams(Texts{"the cat sat on the mat", "the cat sat"});
  EXPECT_DOUBLE_EQ(words, 5.0 / 9);
  EXPECT_DOUBLE_EQ(pairs, 5.0 / 7);
}

TEST(Distinct, no_pair_crosses_texts_and_words_are_as_written) {
  const auto [words, pairs] = distinct_ngrams(Texts{"a\n b", "a  b ", "A b", "b", "a"});
  EXPECT_DOUBLE_EQ(words, 3.0 / 8);  // a, b, A
  EXPECT_DOUBLE_EQ(pairs, 2.0 / 3);  // a b, A b
}

TEST(Distinct, the_most_and_the_least_varied) {
  EXPECT_EQ(distinct_ngrams(Texts{"ab ba abba"}), (std::array<double, 2>{1, 1}));
  EXPECT_EQ(distinct_ngrams(Texts{"x x x x x"}), (std::array<double, 2>{0.2, 0.25}));
}

TEST(Distinct, without_ngrams_it_is_0) {
  EXPECT_EQ(distinct_ngrams(Texts{}), (std::array<double, 2>{0, 0}));
  EXPECT_EQ(distinct_ngrams(Texts{"", " \n", "word"}), (std::array<double, 2>{1, 0}));
}

}}  // namespace tapehead
