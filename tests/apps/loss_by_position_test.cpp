// The loss by position in the context: in evaluations, in the run's record and on its page.
#include "core/files/json_text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

// A model of single lines in a context of 60; lines of the fixture have at most 51 characters.
class LossByPosition : public SharedRuns<LossByPosition> {
 public:
  static void prepare() {
    output(text_training(
        *here, "lines",
        {"task.documents=line", "task.context=60", "model.max_positions=60",
         "task.validation_text=" TAPEHEAD_FIXTURES "/text/validation.en", "run.report=true"}));
  }

 protected:
  static std::string output(const Arguments& arguments) { return here->output(arguments); }
  static Json evaluated(const std::string& run, const Arguments& options = {}) {
    const Arguments arguments =
        Arguments{"evaluate", run, "--split", "validation", "--json"} + options;
    return Json::parse(output(arguments));
  }
};

// The mean over ranges, weighted by tokens, and the number of tokens.
std::pair<double, int> mean_of(const Json& ranges) {
  double sum = 0;
  int tokens = 0;
  for (const Json& range : ranges) {
    sum += range["loss"].get<double>() * range["tokens"].get<int>();
    tokens += range["tokens"].get<int>();
  }
  return {sum / tokens, tokens};
}

TEST_F(LossByPosition, adds_up_to_the_loss_of_all) {
  const Json result = evaluated("lines");
  const auto [mean, tokens] = mean_of(result["loss_by_position"]);
  EXPECT_NEAR(mean, result["loss"], 1e-9);
  // Every character, with an end mark instead of the line end in 30 lines.
  EXPECT_EQ(tokens, static_cast<int>(content_of(TAPEHEAD_FIXTURES "/text/validation.en").size()));
}

// `score` gives the tokens of a line the same probabilities, without the end mark.
TEST_F(LossByPosition, is_that_of_the_tokens_at_a_position) {
  const Json ranges = evaluated("lines")["loss_by_position"];
  const std::vector<std::string> scores = lines_of(
      output({"score", "lines", "--input", TAPEHEAD_FIXTURES "/text/validation.en", "--json"}));
  ASSERT_EQ(scores.size(), 30U);
  for (const std::size_t position : {1, 2, 9}) {
    double loss = 0;
    for (const std::string& line : scores) {
      loss -= Json::parse(line)["tokens"][position - 1][1].get<double>() / 30;
    }
    const Json& range = ranges.at(position - 1);
    EXPECT_EQ(range["first"], position);
    EXPECT_EQ(range["last"], position);
    EXPECT_EQ(range["tokens"], 30);
    EXPECT_NEAR(range["loss"], loss, 1e-5) << "position " << position;
  }
}

TEST_F(LossByPosition, of_overlapping_windows_counts_each_label_where_it_is_predicted) {
  output(text_training(*here, "stream"));
  const Json plain = evaluated("stream");
  const Json overlapping = evaluated("stream", {"--stride", "4"});
  const auto [mean, tokens] = mean_of(overlapping["loss_by_position"]);
  EXPECT_NEAR(mean, overlapping["loss"], 1e-9);
  EXPECT_EQ(tokens, mean_of(plain["loss_by_position"]).second);
  // One document: only the first window has labels outside of the last 4 of its 24 rows.
  for (const Json& range : overlapping["loss_by_position"]) {
    EXPECT_EQ(range["tokens"] == 1, range["last"] <= 20) << range;
  }
}

TEST_F(LossByPosition, of_the_last_evaluation_is_kept_in_the_record) {
  const Json record = Json::parse(content_of(*here / "lines/record.json"));
  EXPECT_EQ(record["end"]["tests"]["validation"]["loss_by_position"],
            evaluated("lines")["loss_by_position"]);
  EXPECT_THAT(content_of(*here / "lines/metrics.jsonl"), Not(HasSubstr("loss_by_position")));
}

TEST_F(LossByPosition, is_drawn_on_the_page) {
  const auto ranges = evaluated("lines")["loss_by_position"].size();
  const Json page = visit(*here / "lines/report.html", R"(
    const panel = [...document.querySelectorAll('#curves .panel')].at(-1);
    const box = panel.querySelector('svg').getBoundingClientRect();
    panel.querySelector('svg').dispatchEvent(
      new PointerEvent('pointermove', {bubbles: true, clientX: box.right - 2, clientY: box.top + 20}));
    return {
      title: panel.querySelector('figcaption').textContent,
      dots: panel.querySelectorAll('.dots circle').length,
      ticks: [...panel.querySelectorAll('.axis:not(.grid) text')].map((one) => one.textContent).filter(Boolean),
      text: document.querySelector('#curves > .remark').textContent,
      tip: document.querySelector('.tip').textContent,
    };)");
  EXPECT_EQ(page["title"], "Loss by position in the context (validation)");
  EXPECT_EQ(page["dots"], ranges);
  EXPECT_EQ(page["ticks"][0], "1");
  EXPECT_THAT(page["text"].get<std::string>(),
              AllOf(HasSubstr("At position p of a window the model has read p tokens."),
                    HasSubstr(" at position 1 ("), Not(HasSubstr("Windows begin"))));
  EXPECT_THAT(page["tip"].get<std::string>(), AllOf(HasSubstr("position"), HasSubstr("tokens)")));
}

TEST_F(LossByPosition, on_the_page_says_what_overlapping_windows_mean) {
  output(text_training(*here, "overlap", {"evaluation.stride=8", "run.report=true"}));
  const Json page = visit(*here / "overlap/report.html", R"(
    return [...document.querySelectorAll('#curves > .remark')].map((one) => one.textContent);)");
  ASSERT_EQ(page.size(), 1U);
  EXPECT_THAT(page[0].get<std::string>(),
              HasSubstr("Windows begin 8 tokens after one another, so positions up to 16 are "
                        "those of documents' beginnings."));
}

}}  // namespace tapehead
