// tapehead evaluate: all metrics of a trained model, for people and for programs, with other
// windows and patterns than in training, and by position in the context.
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead { namespace {

class Evaluate : public SharedRuns<Evaluate> {
 public:
  static void prepare() {
    here->output(tiny_training("a", {"training.average_last=2", "task.longer_min_length=11",
                                     "task.longer_max_length=12", "task.longer_examples=20"}));
  }

 protected:
  // The JSON output without "seconds", the only value that varies.
  static nlohmann::ordered_json evaluate_json(const Arguments& options) {
    const std::string output = here->output(Arguments{"evaluate", "a", "--json"} + options);
    EXPECT_EQ(std::ranges::count(output, '\n'), 1);
    auto object = nlohmann::ordered_json::parse(output);
    EXPECT_GE(object["seconds"], 0);
    object.erase("seconds");
    if (object.contains("splits")) {
      for (auto& split : object["splits"]) {
        split.erase("seconds");
      }
    }
    return object;
  }
  static std::vector<std::string> keys(const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) {
      names.push_back(name);
    }
    return names;
  }
};

TEST_F(Evaluate, prints_one_object_or_a_table_for_people) {
  const auto object = evaluate_json({});
  std::vector<std::string> names;
  for (const MetricKind* kind : metric_kinds) {
    if (!is_measured(*kind, ExampleKind::pairs)) {
      continue;
    }
    names.emplace_back(kind->name);
    if (kind->signature != nullptr) {
      names.push_back(names.back() + "_signature");
    }
  }
  names.emplace_back("examples");
  EXPECT_EQ(object["examples"], 40);
  EXPECT_NEAR(object["perplexity"].get<double>(), std::exp(object["loss"].get<double>()), 1e-9);
  EXPECT_THAT(object["bleu_signature"].get<std::string>(), HasSubstr("tok:13a"));
  EXPECT_THAT(object["chrf_signature"].get<std::string>(), HasSubstr("nc:6"));
  // The further test split is apart and in the whole.
  ASSERT_THAT(keys(object["splits"]), ElementsAre("longer", "whole"));
  for (const auto& [split, examples] : {std::pair("longer", 20), {"whole", 60}}) {
    EXPECT_EQ(object["splits"][split]["examples"], examples);
    EXPECT_EQ(keys(object["splits"][split]), names);
    EXPECT_EQ(evaluate_json({"--split", split}), object["splits"][split]);
  }
  names.emplace_back("splits");
  EXPECT_EQ(keys(object), names);
  const ProgramResult table = here->run("evaluate a");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.output,
              AllOf(HasSubstr("perplexity"), HasSubstr("\n  test "), HasSubstr("\n  longer "),
                    HasSubstr("\n  whole "), HasSubstr("BLEU nrefs:1"), HasSubstr("chrF nrefs:1")));
  EXPECT_THAT(table.errors, IsEmpty());
}

TEST_F(Evaluate, another_split) {
  const auto validation = evaluate_json({"--split", "validation", "--checkpoint", "best"});
  EXPECT_FALSE(validation.contains("splits"));
  // The best checkpoint is from the last validation with the lowest loss.
  EXPECT_THAT(content_of(*here / "a/metrics.jsonl"),
              HasSubstr("\"loss\":" + validation["loss"].dump() + ","));
  const auto train = evaluate_json({"--split", "train"});
  EXPECT_EQ(train["examples"], 600);
  EXPECT_GT(train["chrf"], 0);
}

TEST_F(Evaluate, the_average_is_what_is_evaluated_unless_another_is_asked_for) {
  const auto average = evaluate_json({});
  const auto last = evaluate_json({"--checkpoint", "last"});
  EXPECT_EQ(evaluate_json({"--checkpoint", "average"}), average);
  EXPECT_NE(last, average);
  EXPECT_EQ(evaluate_json({"--checkpoint", "a/checkpoints/step_00000040.safetensors"}), last);
  for (const std::string threads : {"1", "3"}) {
    EXPECT_EQ(evaluate_json({"--threads", threads}), average);
  }
  // A beam changes the outputs and not the loss.
  const auto greedy = evaluate_json({"--beam", "1"});
  const auto wide = evaluate_json({"--beam", "5"});
  EXPECT_EQ(greedy["loss"], wide["loss"]);
  EXPECT_NE(greedy["chrf"], wide["chrf"]);
}

TEST_F(Evaluate, by_products_in_bfloat16_is_nearly_the_same) {
  const auto exact = evaluate_json({});
  const auto rounded = evaluate_json({"--precision", "bfloat16"});
  EXPECT_NE(rounded["loss"], exact["loss"]);
  EXPECT_NEAR(rounded["loss"].get<double>(), exact["loss"].get<double>(), 0.01);
  EXPECT_EQ(evaluate_json({"--precision", "bfloat16", "--threads", "3"}), rounded);
  EXPECT_EQ(evaluate_json({"--precision", "float32"}), exact);
  EXPECT_THAT(here->refusal(2, "evaluate a --precision float16"),
              HasSubstr("--precision: no such choice, did you mean bfloat16? (float16; allowed: "));
  EXPECT_THAT(here->run("evaluate a").errors, Not(HasSubstr("bfloat16")));
  const ProgramResult plain = run_shell(
      "TAPEHEAD_PRODUCTS=plain \"$TAPEHEAD\" evaluate a --precision bfloat16", here->path());
  EXPECT_THAT(plain.errors,
              HasSubstr("products in bfloat16 are slower than in float32 with the kernel `plain`"));
}

// Another attention pattern is another model, even if every weight fits.
TEST_F(Evaluate, weights_of_other_attention_are_refused) {
  std::filesystem::copy(*here / "a", *here / "other", std::filesystem::copy_options::recursive);
  std::string config = content_of(*here / "other/config.yaml");
  const std::size_t place = config.find("positions: none", config.find("encoder_self:"));
  ASSERT_NE(place, std::string::npos);
  here->write("other/config.yaml", config.replace(place, 15, "positions: alibi"));
  EXPECT_THAT(here->refusal(1, "evaluate other"),
              AllOf(HasSubstr("average.safetensors comes from another model"),
                    HasSubstr("encoder_self.positions: none, not alibi")));
}

using EvaluateChanged = ProgramRuns;

TEST_F(EvaluateChanged, reads_other_windows_and_attends_as_a_model_that_has_the_pattern) {
  const auto evaluated = [&](const std::string& run, const Arguments& options = {}) {
    return json_of(Arguments{"evaluate", run, "--split", "validation", "--json"} + options);
  };
  const std::string pattern = "sink_window 2 5";
  const Arguments options{"model.positions=none", "attention.positions=rotary",
                          "model.max_positions=60", "training.steps=4", "training.warmup=1"};
  output(text_training(here, "a", options));
  output(text_training(here, "b", options + Arguments{"attention.pattern=" + pattern}));
  const auto a = evaluated("a");
  const auto last_position = [](const nlohmann::json& evaluation) {
    return evaluation["loss_by_position"].back()["last"].get<Index>();
  };
  const auto longer = evaluated("a", {"--context", "60"});
  EXPECT_EQ(last_position(longer), 60);
  EXPECT_NE(longer["loss"], a["loss"]);
  EXPECT_EQ(evaluated("a", {"--context", std::to_string(last_position(a))})["loss"], a["loss"]);
  EXPECT_NE(evaluated("a", {"--pattern", pattern})["loss"], a["loss"]);
  EXPECT_EQ(evaluated("a", {"--pattern", "full"})["loss"], a["loss"]);
  const auto b = evaluated("b");
  EXPECT_EQ(evaluated("b", {"--pattern", pattern})["loss"], b["loss"]);
  EXPECT_NE(evaluated("b", {"--pattern", "full"})["loss"], b["loss"]);
}

// A model of single lines in a context of 60; lines of the fixture have at most 51 characters.
class LossByPosition : public SharedRuns<LossByPosition> {
 public:
  static void prepare() {
    here->output(text_training(
        *here, "lines",
        {"task.documents=line", "task.context=60", "model.max_positions=60",
         "task.validation_text=" TAPEHEAD_FIXTURES "/text/validation.en", "run.report=true"}));
  }

 protected:
  static nlohmann::json evaluated(const std::string& run_and_options) {
    return here->json_of("evaluate --split validation --json " + run_and_options);
  }
};

// The mean over ranges, weighted by tokens, and the number of tokens.
std::pair<double, int> mean_of(const nlohmann::json& ranges) {
  double sum = 0;
  int tokens = 0;
  for (const nlohmann::json& range : ranges) {
    sum += range["loss"].get<double>() * range["tokens"].get<int>();
    tokens += range["tokens"].get<int>();
  }
  return {sum / tokens, tokens};
}

// `score` gives the tokens of a line the same probabilities, without the end mark.
TEST_F(LossByPosition, adds_up_to_the_loss_of_all_and_is_that_of_the_tokens_at_a_position) {
  const std::string text = TAPEHEAD_FIXTURES "/text/validation.en";
  const auto result = evaluated("lines");
  const auto& ranges = result["loss_by_position"];
  const auto [mean, tokens] = mean_of(ranges);
  EXPECT_NEAR(mean, result["loss"], 1e-9);
  // Every character, with an end mark instead of the line end in 30 lines.
  EXPECT_EQ(tokens, static_cast<int>(content_of(text).size()));
  const auto scores = lines_of(here->output({"score", "lines", "--input", text, "--json"}));
  ASSERT_EQ(scores.size(), 30U);
  for (const std::size_t position : {1, 2, 9}) {
    double loss = 0;
    for (const std::string& line : scores) {
      loss -= nlohmann::json::parse(line)["tokens"][position - 1][1].get<double>() / 30;
    }
    const auto& range = ranges.at(position - 1);
    EXPECT_EQ(range["first"], position);
    EXPECT_EQ(range["last"], position);
    EXPECT_EQ(range["tokens"], 30);
    EXPECT_NEAR(range["loss"], loss, 1e-5) << "position " << position;
  }
  const auto record = nlohmann::json::parse(content_of(*here / "lines/record.json"));
  EXPECT_EQ(record["end"]["tests"]["validation"]["loss_by_position"], ranges);
  EXPECT_THAT(content_of(*here / "lines/metrics.jsonl"), Not(HasSubstr("loss_by_position")));
}

TEST_F(LossByPosition, of_overlapping_windows_counts_each_label_where_it_is_predicted) {
  here->output(text_training(*here, "stream"));
  const auto overlapping = evaluated("stream --stride 4");
  const auto [mean, tokens] = mean_of(overlapping["loss_by_position"]);
  EXPECT_NEAR(mean, overlapping["loss"], 1e-9);
  EXPECT_EQ(tokens, mean_of(evaluated("stream")["loss_by_position"]).second);
  // One document: only the first window has labels outside of the last 4 of its 24 rows.
  for (const auto& range : overlapping["loss_by_position"]) {
    EXPECT_EQ(range["tokens"] == 1, range["last"] <= 20) << range;
  }
}

TEST_F(LossByPosition, is_drawn_on_the_page) {
  const auto page = visit(*here / "lines/report.html", R"(
    const panel = [...document.querySelectorAll('#curves > .panels > .panel')].at(-1);
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
  EXPECT_EQ(page["dots"], evaluated("lines")["loss_by_position"].size());
  EXPECT_EQ(page["ticks"][0], "1");
  EXPECT_THAT(page["text"].get<std::string>(),
              AllOf(HasSubstr("At position p of a window the model has read p tokens."),
                    HasSubstr(" at position 1 ("), Not(HasSubstr("Windows begin"))));
  EXPECT_THAT(page["tip"].get<std::string>(), AllOf(HasSubstr("position"), HasSubstr("tokens)")));
  // The page says what overlapping windows mean.
  here->output(text_training(*here, "overlap", {"evaluation.stride=8", "run.report=true"}));
  const auto remarks = visit(*here / "overlap/report.html", R"(
    return [...document.querySelectorAll('#curves > .remark')].map((one) => one.textContent);)");
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks[0].get<std::string>(),
              HasSubstr("Windows begin 8 tokens after one another, so positions up to 16 are "
                        "those of documents' beginnings."));
}

}}  // namespace tapehead
