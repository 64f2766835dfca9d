// The page shows the confusion matrix of a run's record.
#include <nlohmann/json.hpp>

#include "lab/report/page.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/label_metrics.hpp"

namespace tapehead { namespace {

nlohmann::ordered_json run_with_tests(nlohmann::ordered_json tests) {
  return {{"kind", "run"},
          {"name", "a"},
          {"state", {{"name", "finished"}, {"text", "finished"}}},
          {"tests", std::move(tests)},
          {"curves",
           {{"training", nlohmann::ordered_json::object()},
            {"evaluations", nlohmann::ordered_json::object()}}}};
}

nlohmann::json see_page(const nlohmann::ordered_json& report, const Browsing& browsing = {}) {
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary) << report_page(report);
  return visit(here / "page.html", R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    const heat = (cell) => Number(getComputedStyle(cell, '::before').opacity);
    return {
      splits: texts('#confusion h3'), heads: texts('#confusion thead th'), rows: texts('#confusion tbody th'),
      counts: texts('#confusion .count'), edges: texts('#confusion .edge'),
      heats: [...document.querySelectorAll('#confusion .count')].map(heat),
      title: document.querySelector('#confusion .count')?.title,
      facts: texts('.facts div'), wide: document.documentElement.scrollWidth,
    };)",
               browsing);
}

// Three labels "<a>", one predicted as "b"; two labels "b", one predicted as "c".
nlohmann::ordered_json small_matrix() {
  std::vector<ExampleScore> labelled;
  for (const auto& [output, reference] :
       {std::pair("<a>", "<a>"), {"<a>", "<a>"}, {"b", "<a>"}, {"b", "b"}, {"c", "b"}}) {
    labelled.push_back({.output = output, .reference = reference});
  }
  return confusion_json(confusion_of(labelled));
}

TEST(ConfusionPage, has_counts_with_recall_and_precision_at_the_edges) {
  const auto page =
      see_page(run_with_tests({{"test", {{"accuracy", 0.6}, {"confusion", small_matrix()}}}}));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(page["splits"], Texts{"test"});
  EXPECT_EQ(page["heads"], (Texts{"right \\ predicted", "<a>", "b", "c", "examples", "recall"}));
  EXPECT_EQ(page["rows"], (Texts{"<a>", "b", "c"}));
  EXPECT_EQ(page["counts"], (Texts{"2", "1", "", "", "1", "1", "", "", ""}));
  EXPECT_EQ(page["edges"], (Texts{"3", "66.7 %", "2", "50.0 %", "0", "–",  // by row
                                  "100.0 %", "50.0 %", "0.0 %", "", "60.0 %"}));
  EXPECT_EQ(page["title"], "<a> for <a>: 2 of 3");
  EXPECT_EQ(page["facts"], Texts{"test, accuracy60.00 %"});
  EXPECT_GT(page["heats"][0], page["heats"][1]);  // two and one of three
  EXPECT_EQ(page["heats"][2], 0);
}

TEST(ConfusionPage, of_many_classes_scrolls_by_itself) {
  std::vector<ExampleScore> labelled;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "class number " + std::to_string(i);
    labelled.push_back({.output = name, .reference = name});
  }
  const auto tests =
      nlohmann::ordered_json{{"test", {{"confusion", confusion_json(confusion_of(labelled))}}}};
  const auto page = see_page(run_with_tests(tests), {.width = 390});
  EXPECT_EQ(page["counts"].size(), 2500U);
  EXPECT_LE(page["wide"], 390);
}

TEST(ConfusionPage, is_left_out_without_a_matrix) {
  EXPECT_TRUE(see_page(run_with_tests({{"test", {{"loss", 1.0}}}}))["splits"].empty());
}

}}  // namespace tapehead
