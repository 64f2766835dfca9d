// Accuracy, macro F1, MCC and the confusion matrix: every figure of the fixture equals that of
// scikit-learn.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/files.hpp"
#include "train/metrics/label_metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

using Json = nlohmann::ordered_json;

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
    const Confusion confusion = confusion_of(labelled(set));
    const Json expected = {{"classes", set.at("classes")}, {"counts", set.at("counts")}};
    EXPECT_EQ(confusion_json(confusion), expected);
    EXPECT_EQ(confusion.count(0, confusion.classes.size() - 1),
              set.at("counts").front().back().get<Index>());
  }
}

TEST(Classification, no_example_has_no_class) {
  EXPECT_EQ(confusion_json(confusion_of({})),
            Json({{"classes", Json::array()}, {"counts", Json::array()}}));
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
}

}}  // namespace tapehead
