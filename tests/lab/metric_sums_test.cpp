// A metric computed from per-example sums equals the metric that an evaluation reports.
#include "lab/bootstrap.hpp"

#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

const std::vector<ExampleScore> examples{
    {.negative_log_likelihood = 3,
     .tokens = 6,
     .correct = 5,
     .output = "the cat sat on the mat",
     .reference = "the cat sat on a mat",
     .right = false},
    {.negative_log_likelihood = 1,
     .tokens = 4,
     .correct = 4,
     .output = "A dog barks.",
     .reference = "A dog barks.",
     .right = true},
    {.negative_log_likelihood = 5,
     .tokens = 3,
     .correct = 0,
     .output = "nothing like it",
     .reference = "two words",
     .right = false},
};

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
}

TEST(MetricSums, bleu_and_chrf_of_resamples_are_those_of_such_corpora) {
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
}

TEST(MetricSums, macro_f1_of_a_resample_is_over_its_own_classes) {
  const auto label = [](const char* output, const char* reference) {
    return ExampleScore{.tokens = 1, .output = output, .reference = reference};
  };
  const std::vector<ExampleScore> labels{label("a", "a"), label("b", "a"), label("c", "c")};
  const MetricSums sums(Metric::macro_f1, labels, {});
  EXPECT_DOUBLE_EQ(sums.value(), (2.0 / 3 + 0 + 1) / 3);  // F1 of a, b and c
  EXPECT_DOUBLE_EQ(sums.value(std::vector<double>{2, 1, 0}), (4.0 / 5 + 0) / 2);
  EXPECT_DOUBLE_EQ(sums.value(std::vector<double>{0, 0, 3}), 1);
  EXPECT_DOUBLE_EQ(MetricSums(Metric::accuracy, labels, {}).value(std::vector<double>{2, 1, 0}),
                   2.0 / 3);
}

TEST(MetricSums, tests_are_told_apart_by_what_the_metric_is_measured_against) {
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
