// Draws: Philox gives its published values, and every draw depends on each part of its address and
// on nothing else. A hash depends on everything that was added.
#include "core/random/draws.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Block = std::array<std::uint32_t, 4>;

// Known answers of philox4x32-10 from the Random123 distribution (tests/kat_vectors), which gives a
// key as two words, the lower first.
TEST(Philox, gives_the_known_answers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draws, are_the_same_at_the_same_address) {
  const auto bits_of = [](const Draws& draws) {
    std::array<std::uint64_t, 8> bits;
    std::ranges::generate(bits, [&, i = 0ULL]() mutable { return draw_bits(draws, i++); });
    return bits;
  };
  const Draws draws(7, "model.encoder", 3);
  EXPECT_EQ(bits_of(draws), bits_of(Draws(7, "model.encoder", 3)));
  const std::uint64_t last = draw_bits(draws, 1000);
  draw_bits(draws, 5);
  EXPECT_EQ(draw_bits(draws, 1000), last);
  // The rows before are kept and change no plain draw.
  EXPECT_EQ(Draws(7, "model.encoder", 3, 30).first_row, 30);
  EXPECT_EQ(bits_of(draws), bits_of(Draws(7, "model.encoder", 3, 30)));
}

// Neighbouring addresses. Of the 64-bit draws, two are equal with probability 1e-14.
TEST(Draws, differ_with_seed_stream_step_and_index) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 1ULL << 32, 1ULL << 63}) {
    for (const std::string stream :
         {"", "a", "b", "ab", "ba", "aa", "a.b", "model.encoder.0", "model.encoder.1"}) {
      for (const Index step : {0, 1, 2, 1000}) {
        for (const std::uint64_t index : {0ULL, 1ULL, 2ULL, 1ULL << 31, 1ULL << 32, 1ULL << 33}) {
          seen.insert(draw_bits(Draws(seed, stream, step), index));
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(Draws, of_neighbouring_streams_are_not_correlated) {
  constexpr int count = 20000;
  const Draws here(1, "a", 0);
  for (const Draws& there : {Draws(2, "a", 0), Draws(1, "b", 0), Draws(1, "a", 1)}) {
    double sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      sum += draw_normal(here, i) * draw_normal(there, i);
    }
    EXPECT_LT(std::abs(sum / count), 4 / std::sqrt(count));  // four standard deviations
  }
}

// The chi-square statistic of 100 equal bins has mean 99 and deviation sqrt(2 * 99) = 14.1.
double chi_square(const std::vector<int>& bins) {
  const double expected =
      std::accumulate(bins.begin(), bins.end(), 0.0) / static_cast<double>(bins.size());
  double sum = 0;
  for (const int bin : bins) {
    sum += (bin - expected) * (bin - expected) / expected;
  }
  return sum;
}

TEST(Draws, uniform_ones_and_those_below_a_bound_are_even) {
  const Draws uniform(1, "uniform", 0);
  const Draws below(1, "below", 0);
  std::vector<int> bins(100, 0);
  std::vector<int> bins_below(100, 0);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = draw_uniform(uniform, i);
    ASSERT_TRUE(u >= 0 && u < 1) << u;
    ++bins[static_cast<std::size_t>(100 * u)];
    const Index drawn = draw_below(below, i, 100);
    ASSERT_TRUE(drawn >= 0 && drawn < 100) << drawn;
    ++bins_below[static_cast<std::size_t>(drawn)];
    ASSERT_EQ(draw_below(below, i, 1), 0);
  }
  EXPECT_NEAR(chi_square(bins), 99, 4 * 14.1);
  EXPECT_NEAR(chi_square(bins_below), 99, 4 * 14.1);
}

TEST(Draws, below_a_bound_beyond_32_bits_reach_all_of_it) {
  const Draws draws(1, "wide", 0);
  const Index bound = Index{1} << 60;
  Index highest = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    highest = std::max(highest, draw_below(draws, i, bound));
  }
  EXPECT_LT(highest, bound);
  EXPECT_GT(highest, bound / 10 * 9);  // fails with probability 0.9^100
}

// The moments of n normal draws have these standard deviations: mean 1 / sqrt(n), second sqrt(2 /
// n), third sqrt(15 / n), fourth sqrt(96 / n). Tolerance: four standard deviations.
TEST(Draws, normal_ones_have_the_moments_of_a_normal) {
  const Draws draws(1, "normal", 0);
  constexpr double count = 100000;
  std::array<double, 4> moments{};
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    const double x = draw_normal(draws, i);
    ASSERT_TRUE(std::isfinite(x));
    for (int power = 1; power <= 4; ++power) {
      moments.at(static_cast<std::size_t>(power - 1)) += std::pow(x, power) / count;
    }
  }
  EXPECT_NEAR(moments[0], 0, 4 / std::sqrt(count));
  EXPECT_NEAR(moments[1], 1, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(moments[2], 0, 4 * std::sqrt(15 / count));
  EXPECT_NEAR(moments[3], 3, 4 * std::sqrt(96 / count));
}

TEST(Draws, a_permutation_holds_every_number_once) {
  for (const Index count : {0, 1, 2, 3, 10, 1000}) {
    std::vector<Index> order = draw_permutation(Draws(1, "order", 0), count);
    std::vector<Index> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), Index{0});
    EXPECT_TRUE(count < 1000 || order != expected);
    std::ranges::sort(order);
    EXPECT_EQ(order, expected);
  }
  const auto order = draw_permutation(Draws(1, "order", 1), 20);
  EXPECT_EQ(order, draw_permutation(Draws(1, "order", 1), 20));
  for (const Draws& other : {Draws(2, "order", 1), Draws(1, "other", 1), Draws(1, "order", 2)}) {
    EXPECT_NE(order, draw_permutation(other, 20));
  }
}

// All 24 permutations of four are equally likely: the statistic of 24 bins has mean 23 and
// deviation sqrt(46) = 6.8.
TEST(Draws, permutations_are_even) {
  std::vector<int> bins(24, 0);
  for (Index step = 0; step < 24000; ++step) {
    std::vector<Index> order = draw_permutation(Draws(1, "order", step), 4);
    std::size_t rank = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto smaller = std::count_if(order.begin() + static_cast<Index>(i), order.end(),
                                         [&](Index other) { return other < order[i]; });
      rank = rank * (4 - i) + static_cast<std::size_t>(smaller);
    }
    ++bins.at(rank);
  }
  EXPECT_LT(chi_square(bins), 23 + 4 * 6.8);
}

using Numbers = std::vector<TokenId>;

TEST(Hash, borders_and_zeros_count) {
  const std::vector<std::pair<Hash, Hash>> different{
      {Hash().add("ab").add("c"), Hash().add("a").add("bc")},
      {Hash().add("").add("a"), Hash().add("a").add("")},
      {Hash().add(Numbers{1, 2}).add(Numbers{}), Hash().add(Numbers{1}).add(Numbers{2})},
      {Hash().add(Numbers{0}), Hash().add(Numbers{0, 0})},
      {Hash().add(std::string_view("a\0", 2)), Hash().add("a")},
      {Hash(), Hash().add(std::uint64_t{0})}};
  for (std::size_t i = 0; i < different.size(); ++i) {
    EXPECT_NE(different[i].first.value(), different[i].second.value()) << "row " << i;
  }
  EXPECT_EQ(Hash().hexadecimal(), "0000000000000000");
  EXPECT_EQ(Hash().add("some text").hexadecimal().size(), 16U);
}

TEST(Hash, every_byte_of_a_text_counts) {
  const std::string text = "twenty-one characters";
  std::set<std::uint64_t> values{Hash().add(text).value()};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    values.insert(Hash().add(other).value());
  }
  EXPECT_EQ(values.size(), text.size() + 1);
}

TEST(Hash, percents_of_short_sequences_are_even) {
  std::array<int, 100> counts{};
  for (TokenId a = 0; a < 100; ++a) {
    for (TokenId b = 0; b < 100; ++b) {
      ++counts[Hash().add(Numbers{a, b}).value() % 100];
    }
  }
  // 10,000 values: 100 expected per bin, with a standard deviation of about 10.
  EXPECT_THAT(counts, Each(AllOf(Gt(50), Lt(150))));
}

}}  // namespace tapehead
