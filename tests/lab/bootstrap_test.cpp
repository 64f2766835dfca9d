// The paired bootstrap: cases with known answers, and small tests compared with the list of all
// resamples.
#include "lab/bootstrap.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Example i is correct if marks[i] is '+'.
std::vector<ExampleScore> examples_of(const std::string& marks) {
  std::vector<ExampleScore> examples;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::string reference = std::to_string(i);
    examples.push_back({.negative_log_likelihood = 1,
                        .tokens = 2,
                        .correct = 1,
                        .output = marks[i] == '+' ? reference : "no",
                        .reference = reference,
                        .right = marks[i] == '+'});
  }
  return examples;
}

ResampledValue run_of(std::uint64_t seed, const std::string& marks,
                      Index resamples = resample_count) {
  return resample_value(seed, MetricSums(Metric::sequence_accuracy, examples_of(marks), {}),
                        resamples);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST(Bootstrap, a_resample_has_as_many_examples_and_depends_on_data_and_number_alone) {
  const std::vector<double> counts = resample(7, 3, 50);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 50);
  EXPECT_EQ(counts, resample(7, 3, 50));
  EXPECT_NE(counts, resample(7, 4, 50));
  EXPECT_NE(counts, resample(8, 3, 50));
}

TEST(Bootstrap, equal_models_do_not_differ) {
  const std::vector one{run_of(1, repeated("+-+", 30)), run_of(2, repeated("++-", 30))};
  const auto difference = compare(one, one);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->mean, 0);
  EXPECT_EQ(difference->low, 0);
  EXPECT_EQ(difference->high, 0);
  EXPECT_EQ(difference->p, 1);
  EXPECT_FALSE(difference->significant());
}

TEST(Bootstrap, a_clear_difference_is_significant_in_either_direction) {
  const std::vector good{run_of(1, repeated("+", 100))};
  const std::vector bad{run_of(1, repeated("+-", 50))};
  const auto gain = compare(good, bad);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->mean, 0.5);
  EXPECT_DOUBLE_EQ(gain->p, 2.0 / (resample_count + 1));  // no resample on the other side
  EXPECT_TRUE(gain->significant());
  EXPECT_GT(gain->low, 0.3);
  EXPECT_LT(gain->high, 0.7);
  const auto loss = compare(bad, good);
  EXPECT_DOUBLE_EQ(loss->mean, -0.5);
  EXPECT_EQ(loss->p, gain->p);
}

// Holm 1979: of four p in ascending order the first is multiplied by 4, the second by 3, and so on;
// the results never decrease.
TEST(Bootstrap, comparisons_that_are_made_together_are_corrected_together) {
  std::vector<Difference> differences{{.p = 0.04}, {.p = 0.01}, {.p = 0.03}, {.p = 0.6}};
  std::vector<Difference*> pointers;
  for (Difference& difference : differences) {
    pointers.push_back(&difference);
  }
  correct_together(pointers);
  EXPECT_DOUBLE_EQ(differences[1].p_holm, 0.04);
  EXPECT_DOUBLE_EQ(differences[2].p_holm, 0.09);
  EXPECT_DOUBLE_EQ(differences[0].p_holm, 0.09);  // not 2 * 0.04
  EXPECT_DOUBLE_EQ(differences[3].p_holm, 0.6);
  correct_together({&differences[3], &differences[3]});
  EXPECT_DOUBLE_EQ(differences[3].p_holm, 1);  // 2 * 0.6 would exceed 1
}

// 50 and 51 correct, but different examples: the paired difference is 0.01 ± 0.1.
TEST(Bootstrap, a_difference_within_the_noise_is_not_significant) {
  const std::vector one{run_of(1, repeated("+-", 50))};
  const std::vector other{run_of(1, repeated("-+", 49) + "++")};
  EXPECT_FALSE(compare(one, other)->significant());
}

// The purpose of pairing: 30 more of the same 1000 examples are correct, while each accuracy alone
// has a deviation of 0.016.
TEST(Bootstrap, pairs_see_what_unpaired_tests_would_not) {
  const std::string shared = repeated("+-", 485);
  const std::vector one{run_of(1, shared + repeated("+", 30))};
  const std::vector other{run_of(1, shared + repeated("-", 30))};
  EXPECT_TRUE(compare(one, other)->significant());
}

// Only the first of two models gets one of the two examples right. The four resamples contain it 0,
// 1, 1 and 2 times: differences 0, 1/2, 1 with shares 1/4, 1/2, 1/4.
TEST(Bootstrap, agrees_with_all_resamples_of_two_examples) {
  constexpr Index resamples = 20000;
  const std::vector one{run_of(1, "++", resamples)};
  const std::vector other{run_of(1, "+-", resamples)};
  double none = 0;
  double half = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double difference = one[0].resampled[i] - other[0].resampled[i];
    none += difference == 0 ? 1 : 0;
    half += difference == 0.5 ? 1 : 0;
  }
  // Five deviations of a share over so many draws: 5 sqrt(1/4 / 20000) < 0.018.
  EXPECT_NEAR(none / resamples, 0.25, 0.018);
  EXPECT_NEAR(half / resamples, 0.50, 0.018);
  EXPECT_NEAR(compare(one, other)->p, 2 * 0.25, 0.036);
}

// One seed gains and the other loses, on all examples. Of the four ways to draw two seeds, one has
// only the loser, two have both, one has only the winner: differences -1, 0 and 1 with shares 1/4,
// 1/2, 1/4. p is twice 3/4, limited to 1.
TEST(Bootstrap, a_gain_of_one_seed_alone_is_not_significant) {
  const std::vector one{run_of(1, "++++"), run_of(2, "----")};
  const std::vector other{run_of(1, "----"), run_of(2, "++++")};
  const auto difference = compare(one, other);
  EXPECT_EQ(difference->mean, 0);
  EXPECT_EQ(difference->p, 1);
  // With two winners in three seeds, three draws have only losers with probability (1/3)^3 = 1/27,
  // and two losers with 6/27: together 7/27 are below 0.
  const std::vector three{run_of(1, "++++"), run_of(2, "++++"), run_of(3, "----")};
  const std::vector rest{run_of(1, "----"), run_of(2, "----"), run_of(3, "++++")};
  EXPECT_NEAR(compare(three, rest)->p, 2 * 7.0 / 27, 2 * 5 * std::sqrt(0.25 / resample_count));
}

TEST(Bootstrap, only_the_same_seed_and_the_same_test_make_a_pair) {
  const std::vector one{run_of(1, "++++"), run_of(2, "++++")};
  const std::vector other{run_of(2, "+-+-"), run_of(3, "----")};
  EXPECT_DOUBLE_EQ(compare(one, other)->mean, 0.5);
  EXPECT_FALSE(compare(one, std::vector{run_of(1, "+++++")}));
  EXPECT_FALSE(compare(one, std::vector{run_of(4, "++++")}));
}

TEST(Bootstrap, counts_its_pairs) {
  const std::vector one{run_of(1, "++++"), run_of(2, "++++"), run_of(3, "++++")};
  EXPECT_EQ(compare(one, one)->pairs, 3U);
  EXPECT_EQ(compare(one, std::vector{run_of(2, "+-+-"), run_of(4, "----")})->pairs, 1U);
}

TEST(Bootstrap, runs_on_texts_that_are_known_to_differ_make_no_pair) {
  const auto on_text = [](const std::string& digest) {
    std::vector runs{run_of(1, "++++")};
    runs.front().text = digest;
    return runs;
  };
  EXPECT_TRUE(compare(on_text("a"), on_text("a")));
  EXPECT_FALSE(compare(on_text("a"), on_text("b")));
  EXPECT_TRUE(compare(on_text("a"), on_text("")));
}

TEST(Bootstrap, the_interval_leaves_a_fortieth_on_each_side) {
  std::vector<double> resampled(1000);
  std::iota(resampled.begin(), resampled.end(), -24.5);  // 25 numbers below 0
  const Difference difference = judge(475, resampled);
  EXPECT_DOUBLE_EQ(difference.p, 2 * 26.0 / 1001);
  EXPECT_FALSE(difference.significant());
  EXPECT_DOUBLE_EQ(difference.low, 0.5);
  EXPECT_DOUBLE_EQ(difference.high, 949.5);
}

TEST(Bootstrap, what_is_no_number_speaks_for_no_difference) {
  EXPECT_EQ(judge(1, std::vector<double>(100, std::nan(""))).p, 1);
}

}}  // namespace tapehead
