// tapehead report for a run: the page in a browser.
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Learning rate, gradient norm, tokens per second, and every metric of pairs except perplexity.
constexpr int charts =
    3 - 1 + static_cast<int>(std::ranges::count_if(metric_kinds, [](const MetricKind* kind) {
      return is_measured(*kind, ExampleKind::pairs);
    }));

constexpr std::string_view marks = R"(
  const count = (selector) => document.querySelectorAll(selector).length;
  document.querySelector('button.head[aria-pressed=false]').click();
  const cells = document.querySelector('.compared .cells').getBoundingClientRect();
  document.querySelector('.compared .cells').dispatchEvent(
    new PointerEvent('pointermove', {bubbles: true, clientX: cells.x + 2, clientY: cells.y + 2}));
  const map = document.querySelector('.compared:last-child .cells').viewBox.baseVal;
  return {
    state: document.querySelector('.state').textContent,
    sections: [...document.querySelectorAll('section')].map((one) => one.id),
    charts: count('#curves svg.chart'),
    lines: count('#curves path.line'),
    samples: count('#samples li'),
    small_maps: count('.small-map'),
    compared: count('.compared'),
    cells: map.width * map.height,
    queries: count('.compared:last-child text.query'),
    keys: count('.compared:last-child text.key'),
    tip: document.querySelector('.tip').textContent,
    rows: count('#heads .table:first-of-type tbody tr'),
    chosen: count('#heads .table:first-of-type tr.chosen'),
    bars: count('#heads .bar'),
    removed: count('#pruning .dots circle'),
    options: count('#config tbody tr'),
    config: document.getElementById('config').textContent,
    environment: document.getElementById('environment').textContent,
  };
)";

constexpr std::string_view looks = R"(
  return {
    wide: document.documentElement.scrollWidth,
    window: window.innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
    text: getComputedStyle(document.body).color,
  };
)";

// A tiny run with the page that training wrote.
class Report : public SharedRuns<Report> {
 public:
  static void prepare() { here->output(tiny_training("a", {"run.report=true"})); }

 protected:
  static ProgramResult report(const Arguments& options) {
    return here->run(Arguments{"report"} + options);
  }
  static nlohmann::json see(const std::string& page, std::string_view script,
                            const Browsing& browsing = {}) {
    return visit(*here / page, std::string(script), browsing);
  }
};

TEST_F(Report, shows_everything_of_a_run) {
  const ProgramResult result = report({"a", "--output", "all.html"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("all.html: finished after 40 steps"));
  const auto page = see("all.html", marks);
  EXPECT_EQ(page["state"], "finished");
  EXPECT_EQ(page["sections"], nlohmann::json({"curves", "samples", "attention", "heads", "pruning",
                                              "config", "environment"}));
  EXPECT_EQ(page["charts"], charts);
  EXPECT_EQ(page["lines"], charts + 2);  // loss and token accuracy have a validation line too
  EXPECT_EQ(page["samples"], 8);
  EXPECT_EQ(page["small_maps"], 12);  // four heads in each of three attentions
  EXPECT_EQ(page["compared"], 4);     // one per attention, and the clicked one
  EXPECT_GT(page["cells"], 0);
  EXPECT_EQ(page["cells"], page["queries"].get<int>() * page["keys"].get<int>());
  EXPECT_THAT(page["tip"].get<std::string>(), AllOf(HasSubstr("→"), HasSubstr("%")));
  EXPECT_EQ(page["rows"], 12);
  EXPECT_EQ(page["chosen"], 4);
  EXPECT_EQ(page["bars"], 24);     // removal and gate for each head
  EXPECT_EQ(page["removed"], 13);  // all heads, then one less each
  EXPECT_GT(page["options"], 50);
  EXPECT_THAT(page["config"].get<std::string>(),
              AllOf(HasSubstr("configs/copy.yaml:"), HasSubstr("--set"), HasSubstr("default")));
  EXPECT_THAT(page["environment"].get<std::string>(),
              AllOf(HasSubstr("seed"), HasSubstr("processor"), HasSubstr("threads")));
}

// A decoder row reads one token and predicts the next, which the following row reads.
TEST_F(Report, labels_rows_of_the_decoder_by_what_they_read_and_say) {
  const auto page = see("a/report.html", R"(
    const texts = (figure, kind) => [...figure.querySelectorAll('text.' + kind)].map((one) => one.textContent);
    return {
      maps: [...document.querySelectorAll('.compared')].map((figure) => (
        {head: figure.dataset.head, queries: texts(figure, 'query'), keys: texts(figure, 'key')})),
      attention: document.getElementById('attention').textContent,
      reference: JSON.parse(document.getElementById('report').textContent)
        .sentences[document.getElementById('sentence').value].reference,
    };)");
  EXPECT_THAT(page["attention"].get<std::string>(), HasSubstr("reads a and has to say b"));
  std::string said;
  ASSERT_EQ(page["maps"].size(), 3U);
  for (const auto& map : page["maps"]) {
    const std::string head = map["head"];
    const auto queries = map["queries"].get<std::vector<std::string>>();
    const auto keys = map["keys"].get<std::vector<std::string>>();
    if (head.starts_with("encoder")) {
      EXPECT_EQ(queries, keys);
      continue;
    }
    said.clear();
    std::string read = "<s>";
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_TRUE(queries[i].starts_with(read + " > ")) << queries[i];
      if (head.starts_with("decoder.layers.0.self")) {
        EXPECT_EQ(keys[i], read) << "columns are what is read";
      }
      read = queries[i].substr(read.size() + 3);
      said += (i == 0 ? "" : " ") + read;
    }
    EXPECT_EQ(said, page["reference"].get<std::string>() + " </s>") << head;
  }
}

TEST_F(Report, explains_its_columns_itself) {
  const auto page = see("a/report.html", R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent).filter(Boolean);
    return {columns: texts('#heads th'), meanings: texts('#heads .meanings dt'), text: document.querySelector('main').textContent};)");
  const auto meanings = page["meanings"].get<std::vector<std::string>>();
  EXPECT_GT(page["columns"].size(), 20U);
  for (const std::string column : page["columns"]) {
    EXPECT_TRUE(column == "head" || std::ranges::find(meanings, column) != meanings.end())
        << column;
  }
  EXPECT_THAT(meanings, Contains("previous token"));
  EXPECT_THAT(page["text"].get<std::string>(), Not(HasSubstr("docs/")));
}

// Decoder self-attention sees no next position, cross-attention has no earlier occurrence of a
// token, and symbols are not punctuation.
TEST_F(Report, has_blank_cells_for_figures_that_cannot_be) {
  const auto page = see("a/report.html", R"(
    const names = [...document.querySelectorAll('#heads .table:first-of-type th')].map((one) => one.textContent);
    const blank = (row) => names.filter((_, i) => row.cells[i].textContent === '');
    const rows = [...document.querySelectorAll('#heads .table:first-of-type tbody tr')];
    return {names, blank: rows.map((row) => ({head: row.dataset.head, names: blank(row).filter((name) => name !== 'role')}))};)");
  EXPECT_THAT(page["names"], Not(Contains("punctuation")));
  for (const auto& row : page["blank"]) {
    const std::string head = row["head"];
    using Names = std::vector<std::string>;
    EXPECT_EQ(row["names"].get<Names>(),
              head.starts_with("decoder.layers.0.self")    ? (Names{"next", "last"})
              : head.starts_with("decoder.layers.0.cross") ? (Names{"induction", "duplicate"})
                                                           : Names{})
        << head;
  }
}

// A table wider than its place has a scroll bar, and a hint where scroll bars are hidden.
TEST_F(Report, tables_that_are_cut_say_so_and_can_be_scrolled) {
  for (const int width : {390, 800, 1280}) {
    const auto tables = see("a/report.html", R"(
      const seen = [...document.querySelectorAll('.table')].filter((one) => !one.closest('details:not([open])'));
      return seen.map((one) => {
        const scroller = one.querySelector('.scrolling');
        return {cut: scroller.scrollWidth > scroller.clientWidth, told: one.querySelector('.cut').offsetHeight > 0,
                bar: scroller.offsetHeight - scroller.clientHeight};
      });)",
                            {.width = width, .scroll_bars = true});
    ASSERT_GE(tables.size(), 4U);  // two of heads, config, environment
    EXPECT_EQ(tables[0]["cut"], width < 1280) << tables;
    for (const auto& table : tables) {
      EXPECT_EQ(table["told"], table["cut"]) << width;
      EXPECT_EQ(table["bar"].get<int>() >= 10, table["cut"].get<bool>()) << width;
    }
  }
}

TEST_F(Report, is_written_by_the_training_itself) {
  const auto page = see("a/report.html", marks);
  EXPECT_EQ(page["state"], "finished");
  EXPECT_EQ(page["small_maps"], 12);
  EXPECT_EQ(page["rows"], 12);
}

TEST_F(Report, fits_a_phone_and_a_dark_room) {
  for (const int width : {390, 1280}) {
    for (const bool dark : {false, true}) {
      const auto page = see("a/report.html", looks, {.width = width, .dark = dark});
      EXPECT_EQ(page["window"], width);
      EXPECT_LE(page["wide"], width);
      const std::string light = "rgb(251, 251, 249)";  // --ground in page.css
      EXPECT_EQ(page["ground"] == light, !dark) << page;
      EXPECT_NE(page["ground"], page["text"]);
    }
  }
}

TEST_F(Report, shows_the_sentences_that_are_asked_for) {
  const ProgramResult result =
      report({"a", "--sentences", "3", "7", "--split", "test", "--output", "two.html"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto numbers = see(
      "two.html", "return [...document.querySelectorAll('#samples li')].map((one) => one.value);");
  EXPECT_EQ(numbers, nlohmann::json({3, 7}));
  const ProgramResult none = report({"a", "--sentences", "41"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.errors, HasSubstr("no sentence 41 in validation; it has 1 to 40"));
}

TEST_F(Report, shows_all_sentences_of_a_split_of_few) {
  const Arguments few{"run.report=true", "task.validation_examples=3"};
  here->output(tiny_training("few", few));
  EXPECT_EQ(see("few/report.html", marks)["samples"], 3);
}

TEST_F(Report, shows_a_text_of_the_users_own_first) {
  const ProgramResult result =
      report({"a", "--output", "own.html", "--text", "1 2 1 2", "--sentences", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto page = see("own.html", R"(
    const chooser = document.getElementById('sentence');
    return {listed: [...chooser.options].map((one) => one.textContent),
            shown: chooser.value, samples: document.querySelectorAll('.samples li').length};)");
  EXPECT_EQ(page["listed"].size(), 2U);
  EXPECT_EQ(page["listed"][0], "1 2 1 2");
  EXPECT_EQ(page["shown"], "0");
  EXPECT_EQ(page["samples"], 1);
  EXPECT_THAT(report({"a", "--output", "own.html", "--text", "x"}).errors,
              HasSubstr("knows no token of the text"));
}

TEST_F(Report, of_a_run_that_was_killed_says_so) {
  Program training(tiny_training("killed", {"training.steps=100000"}), here->path());
  ASSERT_TRUE(wait_until([&] { return fs::exists(step_checkpoint(*here / "killed", 20)); }));
  const ProgramResult meanwhile = report({"killed", "--output", "meanwhile.html"});
  EXPECT_THAT(meanwhile.output, HasSubstr("still training"));
  training.kill(SIGKILL);
  training.wait();
  const ProgramResult result = report({"killed"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("unfinished: stopped at step"));
  const auto page = see("killed/report.html", marks);
  EXPECT_EQ(page["state"], "stopped");
  EXPECT_EQ(page["small_maps"], 12);
}

TEST_F(Report, of_a_run_without_a_checkpoint_shows_what_there_is) {
  fs::copy(*here / "a", *here / "early", fs::copy_options::recursive);
  for (const auto& file : fs::directory_iterator(*here / "early/checkpoints")) {
    fs::remove(file);
  }
  const ProgramResult result = report({"early"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Samples and heads are missing: "));
  EXPECT_EQ(report({"early", "--checkpoint", "best"}).exit_code, 1);
  const auto page = see("early/report.html", R"(
    return {charts: document.querySelectorAll('svg.chart').length,
            note: document.querySelector('.note').textContent};)");
  EXPECT_EQ(page["charts"], charts);
  EXPECT_THAT(page["note"].get<std::string>(), HasSubstr("has no finished checkpoint"));
}

TEST_F(Report, of_a_model_that_cannot_be_read_is_written_and_fails) {
  fs::copy(*here / "a", *here / "closed", fs::copy_options::recursive);
  fs::remove(*here / "closed/joint.vocabulary");
  fs::create_directory(*here / "closed/joint.vocabulary");
  const ProgramResult result = report({"closed"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("error: closed/report.html is without samples and heads: "
                                       "cannot read closed/joint.vocabulary: Is a directory"));
  const auto page = see("closed/report.html", R"(
    return {charts: document.querySelectorAll('svg.chart').length};)");
  EXPECT_EQ(page["charts"], charts);
}

TEST_F(Report, of_a_run_that_went_on_knows_both_starts) {
  here->output(tiny_training("again"));
  const Arguments overrides{"training.steps=50", "run.report=true"};
  here->output(resumed_training("again", overrides));
  const auto page = see("again/report.html", marks);
  EXPECT_EQ(page["state"], "finished");
  EXPECT_THAT(page["config"].get<std::string>(),
              AllOf(HasSubstr("training.steps50--set"), HasSubstr("configs/copy.yaml:")));
  EXPECT_THAT(page["environment"].get<std::string>(),
              AllOf(HasSubstr("threads from step 0"), HasSubstr("threads from step 40")));
}

TEST_F(Report, of_a_run_that_keeps_no_record_shows_the_rest) {
  fs::copy(*here / "a", *here / "old", fs::copy_options::recursive);
  fs::remove(*here / "old/record.json");
  fs::remove(*here / "old/times.jsonl");
  const ProgramResult result = report({"old"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("it keeps no record of its end"));
  const auto page = see("old/report.html", marks);
  EXPECT_EQ(page["charts"], charts - 1);  // no tokens per second
  EXPECT_THAT(page["config"].get<std::string>(), HasSubstr("old/config.yaml:"));
}

TEST_F(Report, of_heads_that_cannot_be_left_out_says_so) {
  const Arguments overrides{"attention.combine=concatenate"};
  here->output(tiny_training("joined", overrides));
  ASSERT_EQ(report({"joined"}).exit_code, 0);
  const auto page = see("joined/report.html", R"(
    return {rows: document.querySelectorAll('#heads .table:first-of-type tbody tr').length,
            bars: document.querySelectorAll('#heads .bar').length,
            notes: document.getElementById('heads').textContent};)");
  EXPECT_EQ(page["rows"], 12);
  EXPECT_EQ(page["bars"], 0);
  EXPECT_THAT(page["notes"].get<std::string>(),
              HasSubstr("Without importance and pruning: encoder.layers.0.self, "));
}

TEST_F(Report, text_that_looks_like_markup_stays_text) {
  fs::copy(*here / "a", *here / "<b>&", fs::copy_options::recursive);
  ASSERT_EQ(report({"<b>&"}).exit_code, 0);
  const auto page = see("<b>&/report.html", R"(
    return {title: document.title, bold: document.querySelectorAll('h1 b').length,
            name: document.querySelector('h1').textContent};)");
  EXPECT_THAT(page["title"].get<std::string>(), HasSubstr("<b>& · tapehead"));
  EXPECT_THAT(page["name"].get<std::string>(), HasSubstr("<b>&"));
  EXPECT_EQ(page["bold"], 0);
}

TEST_F(Report, can_be_turned_off) {
  for (const auto& [run, overrides, options] :
       {std::tuple("off", Arguments{"run.report=false"}, Arguments{}),
        std::tuple("flag", Arguments{"run.report=true"}, Arguments{"--no-report"})}) {
    here->output(tiny_training(run, overrides, options));
    EXPECT_FALSE(fs::exists(*here / run / "report.html")) << run;
    expect_same_runs(*here / "a", *here / run);
  }
}

TEST_F(Report, that_cannot_be_written_leaves_the_training_good) {
  // A directory blocks the page's place.
  Program training(tiny_training("blocked", {"training.steps=400", "run.report=true"}),
                   here->path());
  ASSERT_TRUE(wait_until([&] { return fs::exists(step_checkpoint(*here / "blocked", 10)); }));
  fs::create_directories(*here / "blocked/report.html/x");
  const ProgramResult result = training.wait();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("report.html was not written"));
}

TEST_F(Report, of_what_is_no_run_is_refused) {
  fs::create_directory(*here / "other");
  for (const std::string directory : {"nowhere", "other"}) {
    const ProgramResult result = report({directory});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, HasSubstr(directory + " is neither a run nor a sweep"));
    EXPECT_FALSE(fs::exists(*here / directory / "report.html"));
  }
}

}}  // namespace tapehead
