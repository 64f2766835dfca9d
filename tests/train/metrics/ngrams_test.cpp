// N-grams are numbered exactly at any size, and distinct ones are counted.
#include "train/metrics/ngrams.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(PairNumbers, numbers_from_zero_in_order_and_grows) {
  PairNumbers numbers;
  constexpr std::uint32_t side = 200;
  for (const bool again : {false, true}) {
    for (std::uint32_t a = 0; a < side; ++a) {
      for (std::uint32_t b = 0; b < side; ++b) {
        ASSERT_EQ(numbers.find(a, b), again ? a * side + b : PairNumbers::none);
        ASSERT_EQ(numbers.number(a, b), a * side + b);
      }
    }
  }
  EXPECT_EQ(numbers.count(), side * side);
  numbers.clear();
  EXPECT_EQ(numbers.count(), 0U);
  EXPECT_EQ(numbers.find(1, 2), PairNumbers::none);
  EXPECT_EQ(numbers.number(2, 1), 0U);
}

TEST(WordNumbers, tell_words_apart_and_prefixes_too) {
  WordNumbers words;
  const auto ab = words.number(U"ab");
  EXPECT_EQ(words.number(U"ab"), ab);
  const std::set<std::uint32_t> numbers{ab, words.number(U"a"), words.number(U"b"),
                                        words.number(U"ba"), words.number(U"abc")};
  EXPECT_EQ(numbers.size(), 5U);
}

// distinct-n: different n-grams over all, with no pair across texts and words as they are written.
// Li et al. 2016, section 5.1.
TEST(Distinct, ngrams_are_counted_over_all_texts) {
  using Row = std::tuple<std::vector<std::string>, double, double>;
  for (const auto& [texts, words, pairs] : std::vector<Row>{
           // Nine words: the, cat, sat, on, mat. Seven pairs; (the, cat) and (cat, sat) come twice.
           {{"the cat sat on the mat", "the cat sat"}, 5.0 / 9, 5.0 / 7},
           {{"a\n b", "a  b ", "A b", "b", "a"}, 3.0 / 8, 2.0 / 3},  // a, b, A; a b, A b
           {{"ab ba abba"}, 1, 1},
           {{"x x x x x"}, 0.2, 0.25},
           {{}, 0, 0},
           {{"", " \n", "word"}, 1, 0}}) {
    EXPECT_THAT(distinct_ngrams(texts), ElementsAre(DoubleEq(words), DoubleEq(pairs)));
  }
}

}}  // namespace tapehead
