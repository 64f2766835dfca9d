// Metrics of written-out sentences as an evaluation asks for them: each is what its module
// computes.
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"
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

TEST(Metrics, of_texts_are_those_of_the_corpus_by_the_options) {
  for (const bool lowercase : {false, true}) {
    const EvaluationOptions options{.bleu_tokenizer = BleuTokenizer::intl, .lowercase = lowercase};
    const BleuScore bleu = corpus_bleu(outputs, references, options);
    EXPECT_EQ(measure(bleu_metric, examples(), options), bleu.score);
    EXPECT_EQ(measure(chrf_metric, examples(), options), corpus_chrf(outputs, references, options));
  }
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
