// Label metrics: every figure of the fixtures equals that of scikit-learn or seqeval. Metrics of
// all kinds by the options of an evaluation.
#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/label_metrics.hpp"
#include "train/metrics/metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

// The fixtures are written by scripts/make_fixtures.py, which rounds to 11 decimals.
std::vector<ExampleScore> labelled(const Json& set) {
  std::vector<ExampleScore> examples(set.at("outputs").size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].output = set.at("outputs").at(i);
    examples[i].reference = set.at("references").at(i);
  }
  return examples;
}

TEST(Classification, accuracy_macro_f1_mcc_and_confusion_of_every_set) {
  const Json fixture = Json::parse(read_file(TAPEHEAD_FIXTURES "/classification/labels.json"));
  EXPECT_EQ(fixture.at("scikit_learn"), "1.9.1");
  EXPECT_GE(fixture.at("sets").size(), 48U);
  for (const Json& set : fixture.at("sets")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const std::vector<ExampleScore> scored = labelled(set);
    EXPECT_NEAR(measure(accuracy_metric, scored, {}), set.at("accuracy").get<double>(), 1e-10);
    EXPECT_NEAR(measure(macro_f1_metric, scored, {}), set.at("macro_f1").get<double>(), 1e-10);
    EXPECT_NEAR(measure(mcc_metric, scored, {}), set.at("mcc").get<double>(), 1e-10);
    const Json expected = {{"classes", set.at("classes")}, {"counts", set.at("counts")}};
    EXPECT_EQ(confusion_json(scored), expected);
  }
  EXPECT_EQ(confusion_json({}), Json({{"classes", Json::array()}, {"counts", Json::array()}}));
}

TEST(Tagging, label_f1_and_entity_f1_of_every_set) {
  const Json fixture = Json::parse(read_file(TAPEHEAD_FIXTURES "/tagging/tags.json"));
  EXPECT_GE(fixture.at("sets").size(), 24U);
  EXPECT_THAT(entity_f1_metric.signature({}), EndsWith(fixture.at("seqeval").get<std::string>()));
  for (const Json& set : fixture.at("sets")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const std::vector<ExampleScore> scored = labelled(set);
    EXPECT_NEAR(measure(label_f1_metric, scored, {}), set.at("label_f1").get<double>(), 1e-10);
    EXPECT_NEAR(measure(entity_f1_metric, scored, {}), set.at("entity_f1").get<double>(), 1e-10);
  }
}

std::vector<ExampleScore> example(const std::string& output, const std::string& reference) {
  std::vector<ExampleScore> one(1);
  one.front().output = output;
  one.front().reference = reference;
  return one;
}

TEST(Tagging, only_b_and_i_make_entities) {
  EXPECT_THAT(entity_summands(example("BE IN B- I", "BE IN B- I"), {}), ElementsAre(1, 1, 1))
      << "B- alone";
  EXPECT_THAT(entity_summands(example("B I B-X I", "B I B-X I"), {}), ElementsAre(2, 2, 2));
  EXPECT_THAT(entity_summands(example("B I B-X I-X", "B I B-X I"), {}), ElementsAre(1, 2, 2));
}

// A decoder's output can be longer or shorter than its source. F1 of A is 2 * 1 / (1 + 2) in the
// first case. In the second, A has 1 and B has 0.
TEST(Tagging, a_label_that_only_one_side_has_counts_there) {
  EXPECT_NEAR(measure(label_f1_metric, example("A", "A A"), {}), 2.0 / 3, 1e-12);
  EXPECT_NEAR(measure(label_f1_metric, example("A A B", "A A"), {}), 0.5, 1e-12);
}

TEST(Classification, metrics_are_for_tasks_of_their_kind) {
  const auto measured = [](ExampleKind examples) {
    std::vector<std::string_view> names;
    for (const MetricKind* kind : metric_kinds) {
      if (is_measured(*kind, examples)) {
        names.push_back(kind->name);
      }
    }
    return names;
  };
  EXPECT_THAT(measured(ExampleKind::labels), ElementsAre("loss", "accuracy", "macro_f1", "mcc"));
  EXPECT_THAT(measured(ExampleKind::text), ElementsAre("loss", "perplexity", "token_accuracy",
                                                       "bits_per_byte", "word_perplexity"));
  EXPECT_THAT(measured(ExampleKind::pairs),
              ElementsAre("loss", "perplexity", "token_accuracy", "sequence_accuracy", "bleu",
                          "chrf", "rouge_l", "token_f1", "exact_match"));
  EXPECT_THAT(measured(ExampleKind::tags),
              ElementsAre("loss", "perplexity", "token_accuracy", "sequence_accuracy", "label_f1",
                          "entity_f1"));
}

// The expected numbers come from sacreBLEU 2.6.0.
TEST(Metrics, of_texts_are_those_of_the_corpus_by_the_options) {
  std::vector<ExampleScore> examples = example("A b c d e.", "a b c d e.");
  examples.push_back(example("f g", "f h").front());
  EvaluationOptions options{.bleu_tokenizer = BleuTokenizer::intl};
  EXPECT_NEAR(measure(bleu_metric, examples, options), 70.71067811865471, 1e-9);
  EXPECT_NEAR(measure(chrf_metric, examples, options), 55.55555555555555, 1e-9);
  EXPECT_EQ(bleu_metric.signature(options),
            "nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0");
  options.lowercase = true;
  EXPECT_NEAR(measure(bleu_metric, examples, options), 92.4073895221571, 1e-9);
  EXPECT_NEAR(measure(chrf_metric, examples, options), 95.1388888888889, 1e-9);
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
