// Every mistake in a config is rejected with its place, the value, and the allowed values.
#include "core/text.hpp"
#include "datasets/task_kind.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ConfigErrors, unknown_option_with_the_nearest_name) {
  EXPECT_EQ(config_error("model:\n  d_model: 8\n  hedas: 2\n"),
            "a.yaml:3:3: model.hedas: unknown option; did you mean model.heads?");
}

TEST(ConfigErrors, unknown_option_unlike_any_other) {
  EXPECT_EQ(config_error("run: {verbosity: 2}"),
            "a.yaml:1:7: run.verbosity: unknown option; run has log_seconds, anomaly, report, "
            "tensorboard");
}

TEST(ConfigErrors, option_of_another_section) {
  EXPECT_EQ(config_error("model:\n  batch_tokens: 2\n"),
            "a.yaml:2:3: model.batch_tokens: not an option of model; there is "
            "training.batch_tokens, evaluation.batch_tokens");
  EXPECT_EQ(config_error("d_model: 2"),
            "a.yaml:1:1: d_model: unknown name; there is the option model.d_model");
  EXPECT_EQ(config_error("model: {seed: 2}"),
            "a.yaml:1:9: model.seed: not an option of model; there is seed");
}

TEST(ConfigErrors, option_of_another_task) {
  EXPECT_THAT(config_error("task:\n  min_length: 1\n  name: grammar_translation\n"),
              StartsWith("a.yaml:2:3: task.min_length: not an option of the task "
                         "grammar_translation; it belongs to copy, "));
  EXPECT_EQ(config_error("task:\n  name: recall\n  facts: 3\n", {"task.name=copy"}),
            "a.yaml:3:3: task.facts: not an option of the task copy; it belongs to recall");
}

TEST(ConfigErrors, unknown_section) {
  EXPECT_EQ(config_error("trainig: {steps: 1}"),
            "a.yaml:1:1: trainig: unknown name; did you mean training?");
  EXPECT_EQ(config_error("wandb: true"),
            "a.yaml:1:1: wandb: unknown name; there are seed, task, model, attention, "
            "encoder_self, decoder_self, cross, training, evaluation, run, base");
  EXPECT_EQ(config_error("training.steps: 4"),
            "a.yaml:1:1: training.steps: options are written in their section: `training:`, and in "
            "it `steps:`");
}

TEST(ConfigErrors, unknown_choice) {
  EXPECT_EQ(config_error("model: {activation: rellu}"),
            "a.yaml:1:21: model.activation: no such choice, did you mean relu? (rellu; allowed: "
            "relu, gelu, silu, tanh, gelu_exact)");
  std::vector<std::string_view> tasks;
  for (const TaskKind* kind : task_kinds()) {
    tasks.push_back(kind->name);
  }
  EXPECT_EQ(config_error("task:\n  name: translation\n"),
            fmt::format("a.yaml:2:9: task.name: no such choice (translation; allowed: {})",
                        join(tasks, ", ")));
}

TEST(ConfigErrors, wrong_type) {
  EXPECT_EQ(config_error("model:\n  heads: four\n"),
            "a.yaml:2:10: model.heads: not a number (four; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("model: {heads: 2.5}"),
            "a.yaml:1:16: model.heads: not a whole number (2.5; allowed: whole number, 1 to "
            "1024)");
  EXPECT_EQ(config_error("model: {heads: [1, 2]}"),
            "a.yaml:1:16: model.heads: takes one value (a list; allowed: whole number, 1 to "
            "1024)");
  EXPECT_EQ(config_error("model: {heads: {a: 1}}"),
            "a.yaml:1:16: model.heads: takes one value (a mapping; allowed: whole number, 1 to "
            "1024)");
  EXPECT_EQ(config_error("evaluation: {decode: maybe}"),
            "a.yaml:1:22: evaluation.decode: neither true nor false (maybe; allowed: true or "
            "false)");
  EXPECT_EQ(config_error("model: {d_head: big}"),
            "a.yaml:1:17: model.d_head: not a number (big; allowed: whole number, 1 to 65536, or "
            "auto)");
  EXPECT_EQ(config_error("model: {heads: auto}"),
            "a.yaml:1:16: model.heads: not a number (auto; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("model: {init_from: \"a\\nb\"}"),
            "a.yaml:1:20: model.init_from: a control character in the text (a\\nb; allowed: text)");
}

TEST(ConfigErrors, section_that_is_no_mapping) {
  EXPECT_EQ(config_error("model: big"),
            "a.yaml:1:8: model: a section takes options, each as `name: value` on a line below it");
  EXPECT_EQ(config_error("task: [copy]"),
            "a.yaml:1:7: task: a section takes options, each as `name: value` on a line below it");
  EXPECT_EQ(config_error("seed: {a: 1}"),
            "a.yaml:1:7: seed: takes one value (a mapping; allowed: whole number, 0 to "
            "18446744073709551615)");
}

TEST(ConfigErrors, out_of_range) {
  EXPECT_EQ(config_error("model: {heads: 0}"),
            "a.yaml:1:16: model.heads: out of range (0; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("model: {dropout: 1}"),
            "a.yaml:1:18: model.dropout: out of range (1; allowed: number, 0 to below 1)");
  EXPECT_EQ(config_error("training: {epsilon: 0}"),
            "a.yaml:1:21: training.epsilon: out of range (0; allowed: number, above 0, at most "
            "1)");
  EXPECT_EQ(config_error("training: {label_smoothing: -0.1}"),
            "a.yaml:1:29: training.label_smoothing: out of range (-0.1; allowed: number, 0 to "
            "below 1)");
  EXPECT_EQ(config_error("seed: -1"),
            "a.yaml:1:7: seed: out of range (-1; allowed: whole number, 0 to "
            "18446744073709551615)");
  EXPECT_EQ(config_error("training: {steps: 99999999999999999999}"),
            "a.yaml:1:19: training.steps: out of range (99999999999999999999; allowed: whole "
            "number, 1 to 1000000000, or auto)");
  EXPECT_EQ(config_error("training: {learning_rate: .inf}"),
            "a.yaml:1:27: training.learning_rate: not finite (.inf; allowed: number, 0 to 1000)");
}

TEST(ConfigErrors, a_long_value_is_cut_in_the_message) {
  const std::string value(5000, '7');
  EXPECT_LT(config_error("model: {heads: " + value + "}").size(), 200U);
}

TEST(ConfigErrors, seeds_mean_the_same_to_every_reader) {
  const std::string problem =
      "seed: whole numbers beyond 2^53 take no point and no exponent: write 9007199254740993 "
      "(9007199254740993.0; allowed: whole number, 0 to 18446744073709551615)";
  EXPECT_EQ(config_error("seed: 9007199254740993.0"), "a.yaml:1:7: " + problem);
  EXPECT_EQ(config_error(R"({"seed": 9007199254740993.0})", {}, "a.json"),
            "a.json:1:10: " + problem);
  EXPECT_EQ(config_error("{}", {"seed=9007199254740993.0"}),
            "--set seed=9007199254740993.0: " + problem.substr(6));
  EXPECT_EQ(config_error("training: {steps: 1e16}"),
            "a.yaml:1:19: training.steps: out of range (1e16; allowed: whole number, 1 to "
            "1000000000, or auto)");
}

// YAML and JSON escapes can put any character into a key or a value.
TEST(ConfigErrors, what_the_file_says_cannot_act_on_a_terminal) {
  const std::string hidden = "a\\r\\t\\e[31m\\x9b\\u202e";
  const std::string text = "\"" + hidden + "\"";
  for (const std::string& config :
       {text + ": 1", "model: {" + text + ": 1}", "model: {heads: " + text + "}",
        "model: {heads: [" + text + "]}", "model: {init_from: " + text + "}",
        "model: {activation: " + text + "}",
        "attention: {pattern: window " + std::string("2 3 4") + "}",
        "attention: {pattern: [" + text + ", full]}", "a: {" + text + ": 1, " + text + ": 2}",
        "seed: " + text, "task: {name: " + text + "}"}) {
    const std::string error = config_error(config);
    EXPECT_NE(error, "accepted");
    EXPECT_FALSE(has_hidden_characters(error)) << error;
  }
  EXPECT_THAT(config_error("\"dr\\rERASED\": 1"),
              StartsWith("a.yaml:1:1: dr\\rERASED: unknown name"));
  EXPECT_THAT(config_error("x: 1", {}, "a\x1b[2J.yaml"), StartsWith("a\\x1b[2J.yaml:1:1: x: "));
  EXPECT_THAT(config_error("seed: 1", {"model.\x7f=1"}), StartsWith("--set model.\\x7f=1: "));
}

TEST(ConfigErrors, whatever_is_long_is_cut_in_the_message) {
  const std::string name(100000, 'x');
  for (const std::string& config :
       {name + ": 1", "model: {" + name + ": 1}", "model: {activation: " + name + "}",
        "? " + name + "\n? " + name, "model: {heads: [" + name + "]}", "a: &" + name + " 1"}) {
    EXPECT_LT(config_error(config).size(), 600U);
  }
  EXPECT_LT(config_error("seed: 1", {name + "=1"}).size(), 600U);
  EXPECT_LT(config_error("seed: x", {}, name).size(), 600U);
}

TEST(ConfigErrors, overrides_name_themselves) {
  EXPECT_EQ(config_error("seed: 1", {"model.heads=0"}),
            "--set model.heads=0: out of range (0; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("seed: 1", {"model.hedas=1"}),
            "--set model.hedas=1: unknown option; did you mean model.heads?");
  EXPECT_EQ(config_error("seed: 1", {"modle.heads=1"}),
            "--set modle.heads=1: unknown name; did you mean model?");
  EXPECT_EQ(config_error("seed: 1", {"steps=1"}),
            "--set steps=1: unknown name; there is the option training.steps");
  EXPECT_EQ(config_error("seed: 1", {"sed=1"}), "--set sed=1: unknown name; did you mean seed?");
  EXPECT_EQ(config_error("seed: 1", {"model=1"}),
            "--set model=1: a section; set one of its options, model.option=value");
  EXPECT_EQ(config_error("seed: 1", {"model.heads"}),
            "--set model.heads: not of the form section.option=value");
  EXPECT_EQ(config_error("seed: 1", {"=4"}), "--set =4: not of the form section.option=value");
  EXPECT_EQ(config_error("seed: 1", {"training.steps="}),
            "--set training.steps=: not a number (empty text; allowed: whole number, 1 to "
            "1000000000, or auto)");
  EXPECT_EQ(config_error("seed: 1", {".heads=4"}),
            "--set .heads=4: unknown name; there is the option model.heads, attention.heads, "
            "encoder_self.heads, decoder_self.heads, cross.heads");
  EXPECT_EQ(config_error("seed: 1", {"model.=4"}).substr(0, 38),
            "--set model.=4: unknown option; model ");
  EXPECT_THAT(config_error("seed: 1", {"model.init_from=\xFF"}),
              StartsWith("--set:1:17: not UTF-8"));
}

TEST(ConfigErrors, an_override_does_not_excuse_the_file) {
  EXPECT_THAT(config_error("model: {heads: 0}", {"model.heads=4"}),
              StartsWith("a.yaml:1:16: model.heads: out of range"));
}

}}  // namespace tapehead
