// Label metrics: every figure of the fixtures equals that of scikit-learn or seqeval.
#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/label_metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

// Written by scripts/make_fixtures.py, which rounds to 11 decimals.
const Json& labels_fixture() {
  static const Json json = Json::parse(read_file(TAPEHEAD_FIXTURES "/classification/labels.json"));
  return json;
}

std::vector<ExampleScore> labelled(const Json& set) {
  std::vector<ExampleScore> examples(set.at("outputs").size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].output = set.at("outputs").at(i);
    examples[i].reference = set.at("references").at(i);
  }
  return examples;
}

TEST(Classification, the_fixture_is_whole) {
  EXPECT_EQ(labels_fixture().at("scikit_learn"), "1.9.1");
  EXPECT_GE(labels_fixture().at("sets").size(), 48U);
}

TEST(Classification, accuracy_macro_f1_and_mcc_of_every_set) {
  for (const Json& set : labels_fixture().at("sets")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const std::vector<ExampleScore> scored = labelled(set);
    EXPECT_NEAR(measure(accuracy_metric, scored, {}), set.at("accuracy").get<double>(), 1e-10);
    EXPECT_NEAR(measure(macro_f1_metric, scored, {}), set.at("macro_f1").get<double>(), 1e-10);
    EXPECT_NEAR(measure(mcc_metric, scored, {}), set.at("mcc").get<double>(), 1e-10);
  }
}

TEST(Classification, confusion_of_every_set) {
  for (const Json& set : labels_fixture().at("sets")) {
    SCOPED_TRACE(set.at("name").get<std::string>());
    const Json expected = {{"classes", set.at("classes")}, {"counts", set.at("counts")}};
    EXPECT_EQ(confusion_json(confusion_of(labelled(set))), expected);
  }
}

TEST(Classification, no_example_has_no_class) {
  EXPECT_EQ(confusion_json(confusion_of({})),
            Json({{"classes", Json::array()}, {"counts", Json::array()}}));
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

TEST(Tagging, only_b_and_i_make_entities) {
  std::vector<ExampleScore> one(1);
  one.front().output = one.front().reference = "BE IN B- I";
  EXPECT_THAT(entity_summands(one, {}), ElementsAre(1, 1, 1)) << "B- alone";
  one.front().output = one.front().reference = "B I B-X I";
  EXPECT_THAT(entity_summands(one, {}), ElementsAre(2, 2, 2));
  one.front().output = "B I B-X I-X";
  EXPECT_THAT(entity_summands(one, {}), ElementsAre(1, 2, 2));
}

// A decoder's output can be longer or shorter than its source. F1 of A is 2 * 1 / (1 + 2) in the
// first case. In the second, A has 1 and B has 0.
TEST(Tagging, a_label_that_only_one_side_has_counts_there) {
  std::vector<ExampleScore> one(1);
  one.front().output = "A";
  one.front().reference = "A A";
  EXPECT_NEAR(measure(label_f1_metric, one, {}), 2.0 / 3, 1e-12);
  one.front().output = "A A B";
  EXPECT_NEAR(measure(label_f1_metric, one, {}), 0.5, 1e-12);
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
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(measured(ExampleKind::labels), (Names{"loss", "accuracy", "macro_f1", "mcc"}));
  EXPECT_EQ(measured(ExampleKind::text),
            (Names{"loss", "perplexity", "token_accuracy", "bits_per_byte", "word_perplexity"}));
  EXPECT_EQ(measured(ExampleKind::pairs),
            (Names{"loss", "perplexity", "token_accuracy", "sequence_accuracy", "bleu", "chrf",
                   "rouge_l", "token_f1", "exact_match"}));
  EXPECT_EQ(measured(ExampleKind::tags), (Names{"loss", "perplexity", "token_accuracy",
                                                "sequence_accuracy", "label_f1", "entity_f1"}));
}

}}  // namespace tapehead
