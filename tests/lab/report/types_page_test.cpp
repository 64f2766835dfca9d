// The page has a table of example types if the run's record has types.
#include <nlohmann/json.hpp>

#include "lab/report/page.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

nlohmann::json see_types(const nlohmann::ordered_json& tests) {
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary)
      << report_page({{"kind", "run"},
                      {"name", "a"},
                      {"state", {{"name", "finished"}, {"text", "finished"}}},
                      {"tests", tests},
                      {"curves",
                       {{"training", nlohmann::ordered_json::object()},
                        {"evaluations", nlohmann::ordered_json::object()}}}});
  return visit(here / "page.html", R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    return {splits: texts('#types h3'), types: texts('#types tbody tr'), groups: texts('#types tfoot tr')};)");
}

TEST(TypesPage, has_the_types_of_each_split_and_their_groups) {
  const auto page = see_types(nlohmann::ordered_json::parse(R"({
    "test": {"loss": 1.0},
    "gen": {"loss": 1.0,
            "types": [{"type": "<a>", "examples": 4, "sequence_accuracy": 0.25},
                      {"type": "b", "examples": 1, "sequence_accuracy": 1.0}],
            "type_groups": [{"group": "all", "examples": 5, "sequence_accuracy": 0.4}]}})"));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(page["splits"], Texts{"gen"});
  EXPECT_EQ(page["types"], (Texts{"<a>425.0 %", "b1100.0 %"}));
  EXPECT_EQ(page["groups"], Texts{"all540.0 %"});
}

TEST(TypesPage, is_left_out_without_types) {
  EXPECT_TRUE(see_types({{"test", {{"loss", 1.0}}}})["splits"].empty());
}

}}  // namespace tapehead
