// Pages: contents cannot break out of their place, and charts are readable.
#include "lab/report/page.hpp"

#include "core/files/json_text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ReportPage, json_ends_no_script_and_means_the_same) {
  const Json json = {{"token", "</script><!-- & -->"}, {"number", 0.5}};
  const std::string text = json_for_page(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), json);
}

TEST(ReportPage, text_that_is_not_utf8_is_shown_as_far_as_it_goes) {
  EXPECT_EQ(json_for_page("a\xff"), "\"a\xef\xbf\xbd\"");  // U+FFFD
}

TEST(ReportPage, text_is_no_markup) { EXPECT_EQ(text_for_page("<b>\"&"), "&lt;b&gt;&quot;&amp;"); }

TEST(ReportPage, whatever_stands_in_the_report_is_put_there_as_it_is) {
  const std::string page = report_page({{"name", "a</title>"}, {"token", "@style@"}});
  EXPECT_THAT(page, HasSubstr("<title>a&lt;/title&gt; · tapehead</title>"));
  EXPECT_THAT(page, HasSubstr("\"token\":\"@style@\""));
  EXPECT_THAT(page, Not(HasSubstr("@report@")));
}

TEST(ReportPage, is_whole_by_itself) {
  const std::string page = report_page({{"name", "a"}});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("d3js.org v5"));  // first line of the library
  for (const std::string reference : {"src=\"", "href=\"http", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr("<script " + reference)));
    EXPECT_THAT(page, Not(HasSubstr("<link " + reference)));
  }
}

using ChartTexts = std::vector<std::string>;

// For each chart: its title, the vertical axis's labels from below, the horizontal axis's labels
// from the left, the number of lines between points, and the texts at points.
nlohmann::json charts_of(const Json& report) {
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary) << report_page(report);
  return visit(here / "page.html", R"(
    const texts = (chart, selector) => [...chart.querySelectorAll(selector)].map((one) => one.textContent);
    const far = (chart, end) => [...chart.querySelectorAll('text')].map((one) => one.getBoundingClientRect()[end]);
    return [...document.querySelectorAll('figure.panel')].map((figure) => {
      const chart = figure.querySelector('svg');
      return {title: figure.querySelector('figcaption').textContent,
              up: texts(chart, '.grid .tick'), across: texts(chart, '.axis:not(.grid) .tick'),
              lines: chart.querySelectorAll('path.line').length, marks: texts(chart, '.mark'),
              key: texts(figure, '.key li'),
              cut: Math.min(...far(chart, 'left')) < figure.getBoundingClientRect().left};
    });)");
}

Json page_of(const char* kind, const Json& further) {
  Json report = {
      {"kind", kind}, {"name", "a"}, {"state", {{"name", "finished"}, {"text", "finished"}}}};
  report.update(further);
  return report;
}

nlohmann::json curves_of(const std::string& metric, const std::vector<double>& values) {
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    steps.push_back(100 * i);
  }
  return charts_of(page_of("run", {{"curves",
                                    {{"training", {{"step", steps}, {metric, values}}},
                                     {"evaluations", Json::object()}}}}))[0];
}

TEST(ReportCharts, label_each_value_of_an_axis_otherwise) {
  const std::vector<std::pair<std::string, std::vector<double>>> curves{
      {"token_accuracy", {0.1, 0.9}},
      {"token_accuracy", {0.989, 0.9992}},
      {"token_accuracy", {0.9996, 0.99985}},
      {"tokens_per_second", {63950, 64200}},
      {"tokens_per_second", {12345600, 12345700}},
      {"loss", {0.00011, 0.00014}}};
  for (const auto& [metric, values] : curves) {
    const auto chart = curves_of(metric, values);
    const auto labels = chart["up"].get<ChartTexts>();
    EXPECT_GE(labels.size(), 3U);
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size()) << chart;
    EXPECT_EQ(chart["cut"], false) << chart;
  }
  EXPECT_EQ(curves_of("token_accuracy", {0.1, 0.9})["up"],
            (ChartTexts{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}))
      << "no more digits than needed";
}

TEST(ReportCharts, of_one_value_have_no_share_above_all) {
  EXPECT_EQ(curves_of("token_accuracy", {1, 1})["up"].get<ChartTexts>().back(), "100 %");
  EXPECT_EQ(curves_of("token_accuracy", {0, 0})["up"].get<ChartTexts>().front(), "0 %");
}

// A sweep over two axes whose cells are all combinations.
nlohmann::json sweep_charts(const std::string& one, const ChartTexts& labels,
                            const std::string& other, const ChartTexts& others) {
  Json results = {{"metric", "sequence_accuracy"},
                  {"figures", {"sequence_accuracy"}},
                  {"show", Json::array()},
                  {"resamples", 1000},
                  {"significance_level", 0.05},
                  {"shared_seeds", {1}},
                  {"runs", Json::array({Json{{"seed", 1}}})}};
  const auto spread = [](double mean) { return Json{{"mean", mean}, {"deviation", nullptr}}; };
  double number = 0;
  for (const std::string& label : labels) {
    for (const std::string& second : others) {
      ++number;
      results["cells"].push_back({{"settings", {{one, label}, {other, second}}},
                                  {"seeds", 1},
                                  {"best", number == 1},
                                  {"to_best", nullptr},
                                  {"cheapest_not_significantly_worse", number == 1},
                                  {"on_front", number == 1},
                                  {"head_width", number == 1 ? "64" : "16"},
                                  {"sequence_accuracy", spread(0.9 + 0.001 * number)},
                                  {"parameters", spread(100)},
                                  {"multiply_adds", spread(100)},
                                  {"tokens_per_second", spread(100)},
                                  {"seconds", spread(number)}});
    }
  }
  return charts_of(page_of(
      "sweep",
      {{"axes", {{{"name", one}, {"labels", labels}}, {{"name", other}, {"labels", others}}}},
       {"metrics", {"sequence_accuracy"}},
       {"lower_is_better", false},
       {"progress", Json::array()},
       {"results", std::move(results)}}));
}

TEST(ReportCharts, of_sweeps_join_numbers_and_no_names) {
  const ChartTexts names{"full", "window 4", "8"};  // "8" is a number
  const auto charts = sweep_charts("pattern", names, "heads", {"4", "1", "16"});
  EXPECT_EQ(charts[0]["title"], "sequence accuracy over pattern");
  EXPECT_EQ(charts[0]["lines"], 0);
  EXPECT_EQ(charts[0]["across"], names);
  EXPECT_EQ(charts[1]["lines"], 3) << "one for each pattern";
  EXPECT_EQ(charts[1]["across"], (ChartTexts{"1", "4", "16"}));
}

TEST(ReportCharts, name_the_points_of_quality_against_time) {
  const auto few = sweep_charts("pattern", {"full", "window 4"}, "heads", {"1", "2"})[2];
  EXPECT_EQ(few["title"], "sequence accuracy against time");
  EXPECT_EQ(few["marks"], (ChartTexts{"full, 1", "full, 2", "window 4, 1", "window 4, 2"}));
  EXPECT_EQ(few["key"], ChartTexts{});
  const auto many =
      sweep_charts("pattern", {"full", "window 4", "blocks 8"}, "heads", {"1", "2", "4"})[2];
  EXPECT_EQ(many["marks"], (ChartTexts{"1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(many["key"].size(), 9U);
  EXPECT_EQ(many["key"][3], "pattern=window 4, heads=1");
}

}}  // namespace tapehead
