// tapehead report for a run: the page in a browser.
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Learning rate, gradient norm, tokens per second, and every metric of pairs except perplexity.
constexpr int charts =
    3 - 1 + static_cast<int>(std::ranges::count_if(metric_kinds, [](const MetricKind* kind) {
      return is_measured(*kind, ExampleKind::pairs);
    }));

constexpr std::string_view page_marks = R"(
  const count = (selector) => document.querySelectorAll(selector).length;
  document.querySelector('button.head[aria-pressed=false]').click();
  const cells = document.querySelector('.compared .cells').getBoundingClientRect();
  document.querySelector('.compared .cells').dispatchEvent(
    new PointerEvent('pointermove', {bubbles: true, clientX: cells.x + 2, clientY: cells.y + 2}));
  const map = document.querySelector('.compared:last-child .cells').viewBox.baseVal;
  return {
    state: document.querySelector('.state').textContent,
    sections: [...document.querySelectorAll('section')].map((one) => one.id),
    charts: count('#curves svg.chart'), folded: count('#curves details:not([open]) svg.chart'), lines: count('#curves path.line'),
    samples: count('#samples li'), small_maps: count('.small-map'), compared: count('.compared'), switches: count('.switch'),
    cells: map.width * map.height, queries: count('.compared:last-child text.query'),
    keys: count('.compared:last-child text.key'), tip: document.querySelector('.tip').textContent,
    rows: count('#heads .table:first-of-type tbody tr'), bars: count('#heads .bar'),
    chosen: count('#heads .table:first-of-type tr.chosen'),
    removed: count('#pruning .dots circle'), options: count('#config tbody tr'),
    config: document.getElementById('config').textContent,
    environment: document.getElementById('environment').textContent,
  };
)";

// A tiny run with the page that training wrote.
class Report : public SharedRuns<Report> {
 public:
  static void prepare() { here->output(tiny_training("a", {"run.report=true"})); }

 protected:
  static nlohmann::json see(const std::string& page, std::string_view script = page_marks,
                            const Browsing& browsing = {}) {
    return visit(*here / page, std::string(script), browsing);
  }
  static void copy_run(const std::string& to) {
    fs::copy(*here / "a", *here / to, fs::copy_options::recursive);
  }
};

TEST_F(Report, shows_everything_of_a_run) {
  EXPECT_THAT(here->output("report a --output all.html"),
              HasSubstr("all.html: finished after 40 steps"));
  const auto page = see("all.html");
  expect_members(
      page,
      {{"sections",
        {"attention", "walk", "samples", "curves", "heads", "pruning", "config", "environment"}},
       {"charts", charts},
       {"folded", charts - 3},  // loss, metric and learning rate are in sight
       {"lines", charts + 2},   // loss and token accuracy also of validation
       {"samples", 8},
       {"switches", 12},  // of each head
       {"compared", 4},   // one per attention, and the clicked one
       {"cells", page["queries"].get<int>() * page["keys"].get<int>()},
       {"chosen", 4},
       {"bars", 24},       // removal and gate for each head
       {"removed", 13}});  // all heads, then one less each
  EXPECT_GT(page["cells"], 0);
  EXPECT_GT(page["options"], 50);
  EXPECT_THAT(page["tip"].get<std::string>(), AllOf(HasSubstr("→"), HasSubstr("%")));
  EXPECT_THAT(page["config"].get<std::string>(),
              AllOf(HasSubstr("configs/copy.yaml:"), HasSubstr("--set"), HasSubstr("default")));
  EXPECT_THAT(page["environment"].get<std::string>(),
              AllOf(HasSubstr("seed"), HasSubstr("processor"), HasSubstr("threads")));
  // Four heads in each of three attentions; the training wrote the second page.
  for (const auto& either : {page, see("a/report.html")}) {
    expect_members(either, {{"state", "finished"}, {"small_maps", 12}, {"rows", 12}});
  }
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
  EXPECT_THAT(page["attention"].get<std::string>(), HasSubstr("reads a and must predict b"));
  std::vector<std::string> reads{"<s>"};
  std::vector<std::string> rows;
  std::istringstream words(page["reference"].get<std::string>() + " </s>");
  for (std::string said; words >> said; reads.push_back(said)) {
    rows.push_back(reads.back() + " > " + said);
  }
  reads.pop_back();
  ASSERT_EQ(page["maps"].size(), 3U);
  for (const auto& map : page["maps"]) {
    const std::string head = map["head"];
    EXPECT_EQ(map["queries"], head.starts_with("encoder") ? map["keys"] : nlohmann::json(rows));
    if (head.starts_with("decoder.layers.0.self")) {
      EXPECT_EQ(map["keys"], nlohmann::json(reads)) << "columns are what is read";
    }
  }
}

// Decoder self-attention sees no next position, cross-attention has no earlier occurrence of a
// token, and symbols are not punctuation.
TEST_F(Report, explains_its_columns_itself_and_has_blank_cells_for_figures_that_cannot_be) {
  const auto page = see("a/report.html", R"(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent).filter(Boolean);
    const names = [...document.querySelectorAll('#heads .table:first-of-type th')].map((one) => one.textContent);
    const blank = (row) => names.filter((name, i) => name !== 'role' && row.cells[i].textContent === '');
    const rows = [...document.querySelectorAll('#heads .table:first-of-type tbody tr')];
    return {columns: texts('#heads th'), meanings: texts('#heads .meanings dt'), names,
            text: document.querySelector('main').textContent,
            blank: rows.map((row) => ({head: row.dataset.head, names: blank(row)}))};)");
  const auto meanings = page["meanings"].get<std::vector<std::string>>();
  EXPECT_GT(page["columns"].size(), 20U);
  for (const std::string column : page["columns"]) {
    EXPECT_TRUE(column == "head" || std::ranges::find(meanings, column) != meanings.end())
        << column;
  }
  EXPECT_THAT(meanings, Contains("previous token"));
  EXPECT_THAT(page["text"].get<std::string>(), Not(HasSubstr("docs/")));
  EXPECT_THAT(page["names"], Not(Contains("punctuation")));
  ASSERT_EQ(page["blank"].size(), 12U);
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
      const seen = [...document.querySelectorAll('.table')].filter((one) => !one.closest('details:not([open]), #walk'));
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

TEST_F(Report, fits_a_phone_and_a_dark_room) {
  for (const int width : {390, 1280}) {
    for (const bool dark : {false, true}) {
      const auto page = see("a/report.html", R"(
        const {backgroundColor, color} = getComputedStyle(document.body);
        return {wide: document.documentElement.scrollWidth, window: window.innerWidth,
                ground: backgroundColor, text: color};)",
                            {.width = width, .dark = dark});
      EXPECT_EQ(page["window"], width);
      EXPECT_LE(page["wide"], width);
      const std::string light = "rgb(251, 251, 249)";  // --ground in page.css
      EXPECT_EQ(page["ground"] == light, !dark) << page;
      EXPECT_NE(page["ground"], page["text"]);
    }
  }
}

TEST_F(Report, saves_each_figure_as_a_drawing_that_stands_alone) {
  const auto page = see("a/report.html", R"(
    document.querySelector('.token').click();
    return {figures: document.querySelectorAll('figure:not(.row-table)').length, buttons: document.querySelectorAll('.save').length,
            drawings: ['.panel', '.lines', '.compared', '.all-heads'].map((selector) => {
              const text = figureSvg(document.querySelector(selector));
              const svg = new DOMParser().parseFromString(text, 'image/svg+xml');
              const count = (part) => svg.querySelectorAll(part).length;
              return {selector, fault: count('parsererror'), alone: !/class=|var\(|href|url\(/.test(text),
                      blue: text.includes('rgb(37, 99, 184)'), heat: text.includes('rgb(23, 70, 143)'),
                      text: [...svg.querySelectorAll('text')].map((one) => one.textContent).join(' '),
                      size: Math.min(svg.documentElement.width.baseVal.value, svg.documentElement.height.baseVal.value)};
            })};)");
  EXPECT_EQ(page["buttons"], page["figures"]);
  const std::vector<std::string> words{"Loss (nats)", "layer 0, self- attention, head",
                                       "layer 0, self- attention, head", "head 0 head 1"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& drawing = page["drawings"][i];
    expect_members(drawing, {{"fault", 0}, {"alone", true}});
    EXPECT_THAT(drawing["text"].get<std::string>(), HasSubstr(words[i]));
    EXPECT_GT(drawing["size"], 100) << drawing;
    // Lines have the colour --line-0 of page.css, maps --heat.
    EXPECT_TRUE(drawing[i < 2 ? "blue" : "heat"]) << drawing;
  }
}

// The narrowest and the lowest target of each kind, in px.
TEST_F(Report, has_targets_that_fingers_can_meet) {
  const auto page = see("a/report.html", R"(
    document.querySelector('.token').click();
    const smallest = (selector) => {
      const boxes = [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
      return Math.min(...boxes.flatMap(({width, height}) => [width, height]).filter((size) => size > 0));
    };
    const rows = document.querySelectorAll('.compared:first-child text.query').length;
    return {row: document.querySelector('.compared .cells').getBoundingClientRect().height / rows,
            ...Object.fromEntries(['main button', 'main a', 'select', 'summary', '.token', '.head', '.close']
              .map((selector) => [selector, smallest(selector)]))};)",
                        {.width = 400, .fingers = true});
  for (const auto& [target, size] : page.items()) {
    EXPECT_GE(size, 32) << target;
  }
}

TEST_F(Report, shows_the_sentences_that_are_asked_for) {
  here->output("report a --sentences 3 7 --split test --output two.html");
  EXPECT_EQ(see("two.html",
                "return [...document.querySelectorAll('#samples li')].map((one) => one.value);"),
            nlohmann::json({3, 7}));
  here->expect_refusals(
      {{"report a --sentences 41", 2, {"no sentence 41 in validation; it has 1 to 40"}}});
}

TEST_F(Report, shows_all_sentences_of_a_split_of_few) {
  here->output(tiny_training("few", {"run.report=true", "task.validation_examples=3"}));
  EXPECT_EQ(see("few/report.html")["samples"], 3);
}

TEST_F(Report, shows_a_text_of_the_users_own_first) {
  here->output({"report", "a", "--output", "own.html", "--text", "1 2 1 2", "--sentences", "3"});
  const auto page = see("own.html", R"(
    const chooser = document.getElementById('sentence');
    return {listed: [...chooser.options].map((one) => one.textContent),
            shown: chooser.value, samples: document.querySelectorAll('.samples li').length};)");
  EXPECT_EQ(page["listed"].size(), 2U);
  EXPECT_EQ(page["listed"][0], "1 2 1 2");
  expect_members(page, {{"shown", "0"}, {"samples", 1}});
  EXPECT_THAT(here->complaint("report a --output own.html --text x"),
              HasSubstr("knows no token of the text"));
}

TEST_F(Report, of_a_run_that_was_killed_says_so) {
  Program training(tiny_training("killed", {"training.steps=100000"}), here->path());
  ASSERT_TRUE(wait_until([&] { return fs::exists(step_checkpoint(*here / "killed", 20)); }));
  EXPECT_THAT(here->output("report killed --output meanwhile.html"), HasSubstr("still training"));
  training.kill(SIGKILL);
  training.wait();
  EXPECT_THAT(here->output("report killed"), HasSubstr("unfinished: stopped at step"));
  expect_members(see("killed/report.html"), {{"state", "stopped"}, {"small_maps", 12}});
}

TEST_F(Report, of_a_run_without_a_checkpoint_or_a_readable_model_shows_what_there_is) {
  constexpr std::string_view script = R"(
    return {charts: document.querySelectorAll('svg.chart').length,
            note: document.querySelector('.note')?.textContent};)";
  copy_run("early");
  for (const auto& file : fs::directory_iterator(*here / "early/checkpoints")) {
    fs::remove(file);
  }
  EXPECT_THAT(here->output("report early"), HasSubstr("Samples and heads are missing: "));
  const auto early = see("early/report.html", script);
  EXPECT_EQ(early["charts"], charts);
  EXPECT_THAT(early["note"].get<std::string>(), HasSubstr("has no finished checkpoint"));
  copy_run("closed");
  fs::remove(*here / "closed/joint.vocabulary");
  fs::create_directory(*here / "closed/joint.vocabulary");
  here->expect_refusals({{"report early --checkpoint best", 1, {}},
                         {"report closed",
                          1,
                          {"error: closed/report.html is without samples and heads: "
                           "cannot read closed/joint.vocabulary: Is a directory"}}});
  EXPECT_EQ(see("closed/report.html", script)["charts"], charts);
}

TEST_F(Report, of_a_run_that_went_on_knows_both_starts) {
  here->output(tiny_training("again"));
  here->output(resumed_training("again", {"training.steps=50", "run.report=true"}));
  const auto page = see("again/report.html");
  EXPECT_EQ(page["state"], "finished");
  EXPECT_THAT(page["config"].get<std::string>(),
              AllOf(HasSubstr("training.steps50--set"), HasSubstr("configs/copy.yaml:")));
  EXPECT_THAT(page["environment"].get<std::string>(),
              AllOf(HasSubstr("threads from step 0"), HasSubstr("threads from step 40")));
}

TEST_F(Report, of_a_run_that_keeps_no_record_shows_the_rest) {
  copy_run("old");
  fs::remove(*here / "old/record.json");
  fs::remove(*here / "old/times.jsonl");
  EXPECT_THAT(here->output("report old"), HasSubstr("the run has no record of its end"));
  const auto page = see("old/report.html");
  EXPECT_EQ(page["charts"], charts - 1);  // no tokens per second
  EXPECT_THAT(page["config"].get<std::string>(), HasSubstr("old/config.yaml:"));
}

TEST_F(Report, of_heads_that_cannot_be_left_out_says_so) {
  here->output(tiny_training("joined", {"attention.combine=concatenate"}));
  here->output("report joined");
  const auto page = see("joined/report.html", R"(
    const count = (selector) => document.querySelectorAll(`#heads ${selector}`).length;
    return {rows: count('.table:first-of-type tbody tr'), bars: count('.bar'),
            notes: document.getElementById('heads').textContent};)");
  expect_members(page, {{"rows", 12}, {"bars", 0}});
  EXPECT_THAT(page["notes"].get<std::string>(),
              HasSubstr("Heads without importance and pruning: encoder.layers.0.self, "));
}

TEST_F(Report, text_that_looks_like_markup_stays_text) {
  copy_run("<b>&");
  here->output("report <b>&");
  const auto page = see("<b>&/report.html", R"(
    return {title: document.title, bold: document.querySelectorAll('h1 b').length,
            name: document.querySelector('h1').textContent};)");
  EXPECT_THAT(page["title"].get<std::string>(), HasSubstr("<b>& · tapehead"));
  EXPECT_THAT(page["name"].get<std::string>(), HasSubstr("<b>&"));
  EXPECT_EQ(page["bold"], 0);
}

TEST_F(Report, can_be_turned_off) {
  here->output(tiny_training("off"));  // with run.report=false
  here->output(tiny_training("flag", {"run.report=true"}, {"--no-report"}));
  for (const std::string run : {"off", "flag"}) {
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
    here->expect_refusals(
        {{"report " + directory, 1, {directory + " is neither a run nor a sweep"}}});
    EXPECT_FALSE(fs::exists(*here / directory / "report.html"));
  }
}

}}  // namespace tapehead
