// Pages: contents cannot break out of their place, and charts are readable; and curves from
// metrics.jsonl and times.jsonl in any state; confusion matrices and types of examples of a record.
#include "lab/report/page.hpp"

#include "core/files/json_text.hpp"
#include "core/text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/message_of.hpp"
#include "train/metrics/label_metrics.hpp"

namespace tapehead { namespace {

TEST(ReportPage, puts_any_text_in_its_place) {
  const Json value = {{"token", "</script><!-- & -->"}, {"number", 0.5}};
  const std::string text = json_for_page(value);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), value);
  EXPECT_EQ(json_for_page("a\xff"), "\"a\xef\xbf\xbd\"");  // not UTF-8: U+FFFD
  EXPECT_EQ(text_for_page("<b>\"&\x1b\n\xff"), "&lt;b&gt;&quot;&amp;\\x1b\\n\\xff");
  const std::string hidden = "\x7f\xC2\x9B\xE2\x80\xAE\x1b";  // DEL, C1, a mark of direction, C0
  EXPECT_EQ(json_for_page(hidden), R"("\u007f\u009b\u202e\u001b")");
  EXPECT_THAT(report_page({{"name", "a</title>"}, {"token", "@style@"}}),
              AllOf(HasSubstr("<title>a&lt;/title&gt; · tapehead</title>"),
                    HasSubstr("\"token\":\"@style@\""), Not(HasSubstr("@report@"))));
  // The page is whole by itself.
  const std::string page = report_page({{"name", "a" + hidden}});
  EXPECT_TRUE(visible(page) == page);
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"),
                          HasSubstr("d3js.org v5")));  // first line of the library
  for (const std::string reference : {"src=\"", "href=\"http", "@import", "url("}) {
    EXPECT_THAT(
        page, AllOf(Not(HasSubstr("<script " + reference)), Not(HasSubstr("<link " + reference))));
  }
}

TEST(ReportPage, leaves_the_least_needed_parts_out_rather_than_grow_past_its_limit) {
  const auto most = std::string(most_page_bytes * 5 / 8, 'x');
  const Json parts = {{"head_curves", {{"steps", most}}}, {"samples", {most}}, {"config", {most}}};
  const auto page_with = [&](const std::vector<std::string>& names) {
    Json report = {{"name", "a"}, {"sentences", {{{"source", "y"}}}}};
    for (const std::string& name : names) {
      report[name] = parts[name];
    }
    return report_page(report);
  };
  EXPECT_THAT(page_with({"samples"}), AllOf(HasSubstr(most), Not(HasSubstr("left out: the page"))));
  const std::string two = page_with({"samples", "head_curves"});
  EXPECT_LE(two.size(), most_page_bytes);
  EXPECT_THAT(two, AllOf(HasSubstr(most), HasSubstr("The curves of the heads are left out: the")));
  const std::string three = page_with({"config", "samples", "head_curves"});
  EXPECT_LE(three.size(), most_page_bytes);
  EXPECT_THAT(three, AllOf(HasSubstr("\"source\":\"y\""), HasSubstr("The samples are left out")));
}

TEST(ReportPage, has_numbers_of_six_digits) {
  EXPECT_THAT(report_page({{"name", "a"}, {"numbers", {1.0 / 3, 123456789, 1e-310, -2.5}}}),
              HasSubstr("\"numbers\":[0.333333,123456789,1e-310,-2.5]"));
}

using Texts = std::vector<std::string>;

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
  return charts_of(page_of("run", {{"metric", metric},
                                   {"curves",
                                    {{"training", {{"step", steps}, {metric, values}}},
                                     {"evaluations", Json::object()}}}}))[0];
}

TEST(ReportCharts, label_each_value_of_an_axis_otherwise) {
  const std::vector<std::pair<std::string, std::vector<double>>> curves{
      {"token_accuracy", {0.1, 0.9}},        {"token_accuracy", {0.989, 0.9992}},
      {"token_accuracy", {0.9996, 0.99985}}, {"tokens_per_second", {63950, 64200}},
      {"loss", {0.00011, 0.00014}},          {"tokens_per_second", {12345600, 12345700}}};
  for (const auto& [metric, values] : curves) {
    const auto chart = curves_of(metric, values);
    const auto labels = chart["up"].get<Texts>();
    EXPECT_GE(labels.size(), 3U);
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size()) << chart;
    EXPECT_EQ(chart["cut"], false) << chart;
  }
  EXPECT_EQ(curves_of("token_accuracy", {0.1, 0.9})["up"],
            (Texts{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}))
      << "no more digits than needed";
  // One value has no share above all.
  EXPECT_EQ(curves_of("token_accuracy", {1, 1})["up"].get<Texts>().back(), "100 %");
  EXPECT_EQ(curves_of("token_accuracy", {0, 0})["up"].get<Texts>().front(), "0 %");
}

// A sweep over two axes whose cells are all combinations.
nlohmann::json sweep_charts(const std::string& one, const Texts& labels, const std::string& other,
                            const Texts& others) {
  Json report = Json::parse(R"({
    "metrics": ["sequence_accuracy"], "lower_is_better": false, "progress": [],
    "results": {"metric": "sequence_accuracy", "figures": ["sequence_accuracy"], "show": [],
                "resamples": 1000, "significance_level": 0.05, "shared_seeds": [1],
                "chapters": [], "runs": [{"seed": 1}]}})");
  report["axes"] = {{{"name", one}, {"labels", labels}}, {{"name", other}, {"labels", others}}};
  double number = 0;
  for (const std::string& label : labels) {
    for (const std::string& second : others) {
      ++number;
      Json cell = Json::parse(R"({
        "seeds": 1, "to_best": null, "parameters": {"mean": 100, "deviation": null},
        "multiply_adds": {"mean": 100, "deviation": null},
        "tokens_per_second": {"mean": 100, "deviation": null},
        "sequence_accuracy": {"deviation": null}, "seconds": {"deviation": null}})");
      cell["settings"] = {{one, label}, {other, second}};
      for (const char* key : {"best", "cheapest_not_significantly_worse", "on_front"}) {
        cell[key] = number == 1;
      }
      cell["head_width"] = number == 1 ? "64" : "16";
      cell["sequence_accuracy"]["mean"] = 0.9 + 0.001 * number;
      cell["seconds"]["mean"] = number;
      report["results"]["cells"].push_back(cell);
    }
  }
  return charts_of(page_of("sweep", report));
}

TEST(ReportCharts, of_sweeps_join_numbers_and_name_the_points_of_quality_against_time) {
  const Texts names{"full", "window 4", "8"};  // "8" is a number
  const auto charts = sweep_charts("pattern", names, "heads", {"4", "1", "16"});
  EXPECT_EQ(charts[0]["title"], "sequence accuracy over pattern");
  EXPECT_EQ(charts[0]["lines"], 0);
  EXPECT_EQ(charts[0]["across"], names);
  EXPECT_EQ(charts[1]["lines"], 3) << "one for each pattern";
  EXPECT_EQ(charts[1]["across"], (Texts{"1", "4", "16"}));
  const auto few = sweep_charts("pattern", {"full", "window 4"}, "heads", {"1", "2"})[2];
  EXPECT_EQ(few["title"], "sequence accuracy against time");
  EXPECT_EQ(few["marks"], (Texts{"full, 1", "full, 2", "window 4, 1", "window 4, 2"}));
  EXPECT_EQ(few["key"], Texts{});
  const auto many =
      sweep_charts("pattern", {"full", "window 4", "blocks 8"}, "heads", {"1", "2", "4"})[2];
  EXPECT_EQ(many["marks"], (Texts{"1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(many["key"].size(), 9U);
  EXPECT_EQ(many["key"][3], "pattern=window 4, heads=1");
}

class ReportCurves : public Test {
 protected:
  void write(const std::string& metrics, const std::string& times = "") const {
    std::ofstream(files().metrics()) << metrics;
    if (!times.empty()) {
      std::ofstream(files().times()) << times;
    }
  }
  RunFiles files() const { return {here.path()}; }

  TemporaryDirectory here;
};

TEST_F(ReportCurves, have_every_figure_and_leave_torn_lines_and_nulls_out) {
  const Json nothing = report_curves(files());
  EXPECT_EQ(nothing["last_step"], 0);
  EXPECT_TRUE(nothing["training"]["step"].empty());
  EXPECT_TRUE(nothing["evaluations"]["step"].empty());
  for (const auto& file : {files().metrics(), files().times()}) {
    std::filesystem::create_directory(file);
    EXPECT_EQ(io_error_of([&] { report_curves(files()); }),
              "cannot read " + file.string() + ": Is a directory");
    std::filesystem::remove(file);
  }
  write(
      "{\"step\":1,\"tokens\":10,\"loss\":2.0}\n"
      "{\"step\":2,\"tokens\":30,\"loss\":null,\"new\":7}\n"
      "{\"step\":2,\"split\":\"validation\",\"loss\":1.5,\"bleu\":30,\"signature\":\"x\"}\n"
      "{\"step\":3,\"los",
      "{\"step\":1,\"seconds\":0.5}\n{\"step\":2,\"seconds\":2.5}\n");
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["last_step"], 2);
  EXPECT_EQ(curves["steps_a_point"], 1);
  EXPECT_EQ(curves["training"], (Json{{"step", {1, 2}},
                                      {"loss", {2.0, nullptr}},
                                      {"new", {nullptr, 7.0}},
                                      {"tokens_per_second", {20.0, 15.0}}}));
  EXPECT_EQ(curves["evaluations"], (Json{{"step", {2}}, {"loss", {1.5}}, {"bleu", {30.0}}}));
}

TEST_F(ReportCurves, lines_that_are_damaged_are_told) {
  write(
      "{\"step\":1,\"tokens\":10,\"loss\":2.0}\n"
      "{\"step\":1e300,\"tokens\":10,\"loss\":2.0}\n"
      "nonsense\n"
      "{\"step\":4,\"tokens\":\"many\",\"loss\":1.0}\n");
  const std::string metrics = files().metrics().string();
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["training"]["step"], (Json{1, 4}));
  EXPECT_EQ(curves["faults"], (Json{metrics + ":2 is damaged, and left out",
                                    metrics + ":3 is damaged, and left out"}));
  // For such a line, copying the JSON library's parse result would end the process.
  const std::string deep =
      "{\"step\":1,\"seconds\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
  write(deep, deep);
  EXPECT_EQ(report_curves(files())["faults"],
            (Json{metrics + ":1 is damaged, and left out",
                  files().times().string() + ":1 is damaged, and left out"}));
}

TEST_F(ReportCurves, of_long_runs_are_means) {
  constexpr Index steps = 2 * curve_points + 1;  // three steps per point
  std::string lines;
  for (Index step = 1; step <= steps; ++step) {
    lines += fmt::format("{{\"step\":{},\"tokens\":1,\"loss\":{}}}\n", step, step);
  }
  write(lines);
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["steps_a_point"], 3);
  EXPECT_EQ(curves["training"]["step"].size(), static_cast<std::size_t>((steps + 2) / 3));
  EXPECT_EQ(curves["training"]["step"][0], 3);
  EXPECT_EQ(curves["training"]["loss"][0], 2.0);
  EXPECT_EQ(curves["training"]["step"].back(), steps);
  EXPECT_TRUE(curves["training"]["tokens_per_second"][0].is_null()) << "no times were kept";
}

TEST_F(ReportCurves, of_many_evaluations_are_means_with_the_last_samples) {
  constexpr Index evaluations = 2 * curve_points;
  std::string lines;
  for (Index step = 1; step <= evaluations; ++step) {
    lines += fmt::format(
        "{{\"step\":{},\"split\":\"validation\",\"loss\":{},\"samples\":[\"s\"]}}\n", step, step);
  }
  write(lines);
  const Json curves = report_curves(files());
  EXPECT_EQ(curves["evaluations_a_point"], 2);
  EXPECT_EQ(curves["evaluations"]["loss"].size(), static_cast<std::size_t>(curve_points));
  EXPECT_EQ(curves["evaluations"]["loss"][0], 1.5);
  EXPECT_EQ(curves["samples"].size(), 100U);
  EXPECT_EQ(curves["samples"].back()["step"], evaluations);
  EXPECT_EQ(curves["faults"], Json{"The page has the samples of the last 100 evaluations."});
}

// What a reader sees of a run with these tests.
nlohmann::json see_tests(const nlohmann::ordered_json& tests, const Browsing& browsing = {}) {
  const nlohmann::ordered_json nothing = nlohmann::ordered_json::object();
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary)
      << report_page({{"kind", "run"},
                      {"name", "a"},
                      {"state", {{"name", "finished"}, {"text", "finished"}}},
                      {"tests", tests},
                      {"curves", {{"training", nothing}, {"evaluations", nothing}}}});
  return visit(here / "page.html", R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    const heat = (cell) => Number(getComputedStyle(cell, '::before').opacity);
    return {
      splits: texts('#confusion h3'), heads: texts('#confusion thead th'), rows: texts('#confusion tbody th'),
      counts: texts('#confusion .count'), edges: texts('#confusion .edge'),
      heats: [...document.querySelectorAll('#confusion .count')].map(heat),
      title: document.querySelector('#confusion .count')?.title,
      splitsOfTypes: texts('#types h3'), types: texts('#types tbody tr'), groups: texts('#types tfoot tr'),
      facts: texts('.facts div'), wide: document.documentElement.scrollWidth,
    };)",
               browsing);
}

// Three labels "<a>", one predicted as "b"; two labels "b", one predicted as "c".
TEST(ConfusionPage, has_counts_with_recall_and_precision_at_the_edges) {
  std::vector<ExampleScore> labelled;
  for (const auto& [output, reference] :
       {std::pair("<a>", "<a>"), {"<a>", "<a>"}, {"b", "<a>"}, {"b", "b"}, {"c", "b"}}) {
    labelled.push_back({.output = output, .reference = reference});
  }
  const auto page =
      see_tests({{"test", {{"accuracy", 0.6}, {"confusion", confusion_json(labelled)}}}});
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
  const auto page =
      see_tests({{"test", {{"confusion", confusion_json(labelled)}}}}, {.width = 390});
  EXPECT_EQ(page["counts"].size(), 2500U);
  EXPECT_LE(page["wide"], 390);
}

TEST(TypesPage, has_the_types_of_each_split_and_their_groups) {
  const auto page = see_tests(nlohmann::ordered_json::parse(R"({
    "test": {"loss": 1.0},
    "gen": {"loss": 1.0,
            "types": [{"type": "<a>", "examples": 4, "sequence_accuracy": 0.25},
                      {"type": "b", "examples": 1, "sequence_accuracy": 1.0}],
            "type_groups": [{"group": "all", "examples": 5, "sequence_accuracy": 0.4}]}})"));
  EXPECT_EQ(page["splitsOfTypes"], Texts{"gen"});
  EXPECT_EQ(page["types"], (Texts{"<a>425.0 %", "b1100.0 %"}));
  EXPECT_EQ(page["groups"], Texts{"all540.0 %"});
  const auto without = see_tests({{"test", {{"loss", 1.0}}}});
  EXPECT_TRUE(without["splitsOfTypes"].empty());
  EXPECT_TRUE(without["splits"].empty()) << "a matrix";
}

}}  // namespace tapehead
