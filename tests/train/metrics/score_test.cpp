// Metrics of decoded sentences with the options of an evaluation.
#include "tests/support/testing.hpp"
#include "train/metrics/metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

const std::vector<std::string> outputs{"A b c d e.", "f g"};
const std::vector<std::string> references{"a b c d e.", "f h"};

std::vector<ExampleScore> examples() {
  std::vector<ExampleScore> all(outputs.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].output = outputs[i];
    all[i].reference = references[i];
  }
  return all;
}

// The expected numbers come from sacreBLEU 2.6.0.
TEST(Metrics, of_texts_are_those_of_the_corpus_by_the_options) {
  EvaluationOptions options{.bleu_tokenizer = BleuTokenizer::intl};
  EXPECT_NEAR(measure(bleu_metric, examples(), options), 70.71067811865471, 1e-9);
  EXPECT_NEAR(measure(chrf_metric, examples(), options), 55.55555555555555, 1e-9);
  EXPECT_EQ(bleu_metric.signature(options),
            "nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0");
  options.lowercase = true;
  EXPECT_NEAR(measure(bleu_metric, examples(), options), 92.4073895221571, 1e-9);
  EXPECT_NEAR(measure(chrf_metric, examples(), options), 95.1388888888889, 1e-9);
  EXPECT_EQ(chrf_metric.signature(options),
            "nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
}

TEST(Metrics, of_no_example_are_0) {
  for (const MetricKind* kind : metric_kinds) {
    EXPECT_EQ(measure(*kind, {}, {}), 0) << kind->name;
  }
}

TEST(Metrics, are_written_as_usual) {
  EXPECT_EQ(metric_text(loss_metric, 1.23456), "1.2346");
  EXPECT_EQ(metric_text(sequence_accuracy_metric, 0.998), "99.80 %");
  EXPECT_EQ(metric_text(bleu_metric, 38.416), "38.42");
}

}}  // namespace tapehead
