// N-grams: numbering is exact at any size, and match counts equal counts by hand.
#include "train/metrics/ngrams.hpp"

#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Units = std::vector<std::uint32_t>;

TEST(PairNumbers, numbers_from_zero_in_order_and_grows) {
  PairNumbers numbers;
  constexpr std::uint32_t side = 200;
  for (std::uint32_t a = 0; a < side; ++a) {
    for (std::uint32_t b = 0; b < side; ++b) {
      ASSERT_EQ(numbers.find(a, b), PairNumbers::none);
      ASSERT_EQ(numbers.number(a, b), a * side + b);
    }
  }
  for (std::uint32_t a = 0; a < side; ++a) {
    for (std::uint32_t b = 0; b < side; ++b) {
      ASSERT_EQ(numbers.find(a, b), a * side + b);
    }
  }
  EXPECT_EQ(numbers.count(), side * side);
}

TEST(PairNumbers, cleared_begins_anew) {
  PairNumbers numbers;
  numbers.number(1, 2);
  numbers.number(2, 1);
  numbers.clear();
  EXPECT_EQ(numbers.count(), 0U);
  EXPECT_EQ(numbers.find(1, 2), PairNumbers::none);
  EXPECT_EQ(numbers.number(2, 1), 0U);
}

TEST(WordNumbers, tell_words_apart_and_prefixes_too) {
  WordNumbers words;
  const auto ab = words.number(U"ab");
  EXPECT_EQ(words.number(U"ab"), ab);
  Units numbers{ab, words.number(U"a"), words.number(U"b"), words.number(U"ba"),
                words.number(U"abc")};
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

// Σ over distinct n-grams of min(count here, count there), with maps from n-gram to count.
Index matches_by_map(const Units& hypothesis, const Units& reference, std::size_t order) {
  std::map<Units, Index> unused;
  const auto ngram = [&](const Units& units, std::size_t i) {
    const auto begin = units.begin() + static_cast<Index>(i);
    return Units(begin, begin + static_cast<Index>(order));
  };
  for (std::size_t i = 0; i + order <= reference.size(); ++i) {
    ++unused[ngram(reference, i)];
  }
  Index matches = 0;
  for (std::size_t i = 0; i + order <= hypothesis.size(); ++i) {
    if (unused[ngram(hypothesis, i)]-- > 0) {
      ++matches;
    }
  }
  return matches;
}

TEST(NgramMatcher, equals_counting_with_a_map) {
  NgramMatcher matcher;
  std::array<NgramCounts, 6> counts;
  for (Index sample = 0; sample < 300; ++sample) {
    const Draws draws(1, "ngrams", sample);
    const auto units_from = [&](std::uint64_t first) {
      Units units(static_cast<std::size_t>(draw_below(draws, first, 40)));
      for (auto& unit : units) {
        unit = static_cast<std::uint32_t>(draw_below(draws, ++first, 3));
      }
      return units;
    };
    const Units hypothesis = units_from(0);
    const Units reference = units_from(1000);
    matcher.match(hypothesis, reference, counts);
    for (std::size_t order = 1; order <= counts.size(); ++order) {
      const NgramCounts& found = counts.at(order - 1);
      const auto runs = [&](const Units& units) {
        return std::max<Index>(0, static_cast<Index>(units.size()) - static_cast<Index>(order) + 1);
      };
      ASSERT_EQ(found.matches, matches_by_map(hypothesis, reference, order));
      ASSERT_EQ(found.hypothesis, runs(hypothesis));
      ASSERT_EQ(found.reference, runs(reference));
    }
  }
}

}}  // namespace tapehead
