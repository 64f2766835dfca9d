// The paired bootstrap: cases with known answers, and small tests compared with the list of all
// resamples. A metric computed from per-example sums equals the metric that an evaluation reports.
#include "lab/bootstrap.hpp"
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// A run that has example i right if marks[i] is '+'.
ResampledValue run_of(std::uint64_t seed, const std::string& marks,
                      Index resamples = resample_count) {
  std::vector<ExampleScore> examples;
  for (const char mark : marks) {
    const std::string reference = std::to_string(examples.size());
    examples.push_back({.tokens = 2,
                        .output = mark == '+' ? reference : "no",
                        .reference = reference,
                        .right = mark == '+'});
  }
  return resample_value(seed, MetricSums(Metric::sequence_accuracy, examples, {}), resamples);
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

TEST(Bootstrap, a_clear_difference_is_significant_in_either_direction_and_none_is_not) {
  const std::vector one{run_of(1, repeated("+-+", 30)), run_of(2, repeated("++-", 30))};
  const auto none = compare(one, one);
  ASSERT_TRUE(none);
  EXPECT_THAT((std::array{none->mean, none->low, none->high}), Each(0));
  EXPECT_EQ(none->p, 1);
  EXPECT_FALSE(none->significant());
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
TEST(Bootstrap, comparisons_are_corrected_together_and_intervals_leave_a_fortieth_on_each_side) {
  std::array<Difference, 4> all{{{.p = 0.04}, {.p = 0.01}, {.p = 0.03}, {.p = 0.6}}};
  correct_together({&all[0], &all[1], &all[2], &all[3]});
  EXPECT_DOUBLE_EQ(all[1].p_holm, 0.04);
  EXPECT_DOUBLE_EQ(all[2].p_holm, 0.09);
  EXPECT_DOUBLE_EQ(all[0].p_holm, 0.09);  // not 2 * 0.04
  EXPECT_DOUBLE_EQ(all[3].p_holm, 0.6);
  correct_together({&all[3], &all[3]});
  EXPECT_DOUBLE_EQ(all[3].p_holm, 1);  // 2 * 0.6 would exceed 1
  std::vector<double> resampled(1000);
  std::iota(resampled.begin(), resampled.end(), -24.5);  // 25 numbers below 0
  const Difference difference = judge(475, resampled);
  EXPECT_DOUBLE_EQ(difference.p, 2 * 26.0 / 1001);
  EXPECT_FALSE(difference.significant());
  EXPECT_DOUBLE_EQ(difference.low, 0.5);
  EXPECT_DOUBLE_EQ(difference.high, 949.5);
  EXPECT_EQ(judge(1, std::vector<double>(100, std::nan(""))).p, 1) << "what is no number";
}

TEST(Bootstrap,
     a_difference_within_the_noise_or_of_one_seed_is_not_significant_but_pairs_show_small_ones) {
  const auto significant = [](const std::string& marks, const std::string& others) {
    return compare(std::vector{run_of(1, marks)}, std::vector{run_of(1, others)})->significant();
  };
  // 50 and 51 correct, but different examples: the paired difference is 0.01 ± 0.1.
  EXPECT_FALSE(significant(repeated("+-", 50), repeated("-+", 49) + "++"));
  // The purpose of pairing: 30 more of the same 1000 examples are correct, while each accuracy
  // alone has a deviation of 0.016.
  const std::string shared = repeated("+-", 485);
  EXPECT_TRUE(significant(shared + repeated("+", 30), shared + repeated("-", 30)));
  // One seed gains and the other loses, on all examples. Of the four ways to draw two seeds, one
  // has only the loser, two have both, one has only the winner: differences -1, 0 and 1 with shares
  // 1/4, 1/2, 1/4. p is twice 3/4, limited to 1.
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

TEST(Bootstrap, only_the_same_seed_and_the_same_test_make_a_pair) {
  const std::vector one{run_of(1, "++++"), run_of(2, "++++"), run_of(3, "++++")};
  const auto with_second = compare(one, std::vector{run_of(2, "+-+-"), run_of(4, "----")});
  EXPECT_DOUBLE_EQ(with_second->mean, 0.5);
  EXPECT_EQ(with_second->pairs, 1U);
  EXPECT_EQ(compare(one, one)->pairs, 3U);
  EXPECT_FALSE(compare(one, std::vector{run_of(1, "+++++")}));
  EXPECT_FALSE(compare(one, std::vector{run_of(4, "++++")}));
  const auto on_text = [](const std::string& digest) {
    std::vector runs{run_of(1, "++++")};
    runs.front().text = digest;
    return runs;
  };
  EXPECT_TRUE(compare(on_text("a"), on_text("a")));
  EXPECT_FALSE(compare(on_text("a"), on_text("b")));
  EXPECT_TRUE(compare(on_text("a"), on_text(""))) << "texts that are not known to differ";
}

ExampleScore example(double loss, Index tokens, Index correct, const std::string& output,
                     const std::string& reference) {
  return {.negative_log_likelihood = loss,
          .tokens = tokens,
          .correct = correct,
          .output = output,
          .reference = reference,
          .right = output == reference};
}

const std::vector<ExampleScore> examples{
    example(3, 6, 5, "the cat sat on the mat", "the cat sat on a mat"),
    example(1, 4, 4, "A dog barks.", "A dog barks."),
    example(5, 3, 0, "nothing like it", "two words")};

double value(Metric metric, const std::vector<double>& counts, const EvaluationOptions& options) {
  return MetricSums(metric, examples, options).value(counts);
}

TEST(MetricSums, means_over_tokens_and_examples) {
  EXPECT_DOUBLE_EQ(value(Metric::loss, {1, 1, 1}, {}), 9.0 / 13);
  EXPECT_DOUBLE_EQ(value(Metric::perplexity, {1, 1, 1}, {}), std::exp(9.0 / 13));
  EXPECT_DOUBLE_EQ(value(Metric::token_accuracy, {1, 1, 1}, {}), 9.0 / 13);
  EXPECT_DOUBLE_EQ(value(Metric::sequence_accuracy, {1, 1, 1}, {}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(Metric::loss, {2, 0, 1}, {}), 11.0 / 15);
  EXPECT_DOUBLE_EQ(value(Metric::sequence_accuracy, {0, 3, 0}, {}), 1);
  // Macro F1 of a resample is over its own classes.
  const std::vector<ExampleScore> labels{example(0, 1, 0, "a", "a"), example(0, 1, 0, "b", "a"),
                                         example(0, 1, 0, "c", "c")};
  const MetricSums sums(Metric::macro_f1, labels, {});
  EXPECT_DOUBLE_EQ(sums.value(), (2.0 / 3 + 0 + 1) / 3);  // F1 of a, b and c
  EXPECT_DOUBLE_EQ(sums.value(std::vector<double>{2, 1, 0}), (4.0 / 5 + 0) / 2);
  EXPECT_DOUBLE_EQ(sums.value(std::vector<double>{0, 0, 3}), 1);
  EXPECT_DOUBLE_EQ(MetricSums(Metric::accuracy, labels, {}).value(std::vector<double>{2, 1, 0}),
                   2.0 / 3);
}

TEST(MetricSums, bleu_and_chrf_of_resamples_are_those_of_such_corpora_and_tests_are_told_apart) {
  EvaluationOptions options;
  for (const BleuTokenizer tokenizer : {BleuTokenizer::v13a, BleuTokenizer::none}) {
    options.bleu_tokenizer = tokenizer;
    for (const bool lowercase : {false, true}) {
      options.lowercase = lowercase;
      for (const std::vector<double>& counts :
           {std::vector<double>{1, 1, 1}, {0, 2, 1}, {3, 0, 0}, {0, 0, 3}}) {
        std::vector<std::string> outputs;
        std::vector<std::string> references;
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const auto times = static_cast<std::size_t>(counts[i]);
          outputs.insert(outputs.end(), times, examples[i].output);
          references.insert(references.end(), times, examples[i].reference);
        }
        EXPECT_DOUBLE_EQ(value(Metric::bleu, counts, options),
                         corpus_bleu(outputs, references, options).score);
        EXPECT_DOUBLE_EQ(value(Metric::chrf, counts, options),
                         corpus_chrf(outputs, references, options));
      }
    }
  }
  const auto data = [](Metric metric, const std::vector<ExampleScore>& of) {
    return MetricSums(metric, of, {}).data();
  };
  std::vector<ExampleScore> others = examples;
  others[1].output = "A cat barks.";
  others[1].correct = 2;
  EXPECT_EQ(data(Metric::loss, others), data(Metric::loss, examples));
  EXPECT_EQ(data(Metric::bleu, others), data(Metric::bleu, examples));
  others[0].tokens = 7;  // different token counts: losses per token do not compare
  EXPECT_NE(data(Metric::loss, others), data(Metric::loss, examples));
  EXPECT_EQ(data(Metric::bleu, others), data(Metric::bleu, examples));
  others[0].reference = "a cat";
  EXPECT_NE(data(Metric::bleu, others), data(Metric::bleu, examples));
}

}}  // namespace tapehead
