// Every mistake in a config is rejected with its place, the value, and the allowed values.
#include "core/text.hpp"
#include "datasets/task_kind.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ConfigErrors, unknown_option) {
  expect_config_errors({
      {"model:\n  d_model: 8\n  hedas: 2\n", "3:3: model.hedas", "did you mean model.heads?"},
      {"run: {verbosity: 2}", "1:7: run.verbosity",
       "run has log_seconds, anomaly, report, tensorboard"},
      {"model:\n  batch_tokens: 2\n", "2:3: model.batch_tokens",
       "there is training.batch_tokens, evaluation.batch_tokens"},
      {"d_model: 2", "1:1: d_model", "unknown name; there is the option model.d_model"},
      {"model: {seed: 2}", "1:9: model.seed", "not an option of model; there is seed"},
      {"task:\n  min_length: 1\n  name: grammar_translation\n", "2:3: task.min_length",
       "not an option of the task grammar_translation; it belongs to copy, "},
      {"task:\n  name: recall\n  facts: 3\n",
       "3:3: task.facts",
       "not an option of the task copy; it belongs to recall",
       {"task.name=copy"}},
  });
}

TEST(ConfigErrors, unknown_section) {
  const std::string no_mapping = "a section takes options, each as `name: value` on a line below";
  expect_config_errors({
      {"trainig: {steps: 1}", "1:1: trainig", "unknown name; did you mean training?"},
      {"wandb: true", "1:1: wandb",
       "unknown name; there are seed, task, model, attention, encoder_self, decoder_self, cross, "
       "training, evaluation, run, base"},
      {"training.steps: 4", "1:1: training.steps",
       "options are written in their section: `training:`, and in it `steps:`"},
      {"model: big", "1:8: model", no_mapping},
      {"task: [copy]", "1:7: task", no_mapping},
      {"seed: {a: 1}", "1:7: seed",
       "takes one value (a mapping; allowed: whole number, 0 to 18446744073709551615)"},
  });
}

TEST(ConfigErrors, of_a_value_say_what_is_allowed) {
  const std::string heads = "allowed: whole number, 1 to 1024)";
  const std::string steps = "allowed: whole number, 1 to 1000000000, or auto)";
  const auto tasks = mapped(task_kinds(), &TaskKind::name);
  expect_config_errors({
      {"model: {activation: rellu}", "1:21: model.activation",
       "did you mean relu? (rellu; allowed: relu, gelu, silu, tanh, gelu_exact)"},
      {"task:\n  name: translation\n", "2:9: task.name",
       "no such choice (translation; allowed: " + join(tasks, ", ") + ")"},

      // Of another type.
      {"model:\n  heads: four\n", "2:10: model.heads", "not a number (four; " + heads},
      {"model: {heads: 2.5}", "1:16: model.heads", "not a whole number (2.5; " + heads},
      {"model: {heads: [1, 2]}", "1:16: model.heads", "takes one value (a list; " + heads},
      {"model: {heads: {a: 1}}", "1:16: model.heads", "takes one value (a mapping; " + heads},
      {"model: {heads: auto}", "1:16: model.heads", "not a number (auto; " + heads},
      {"model: {d_head: big}", "1:17: model.d_head",
       "not a number (big; allowed: whole number, 1 to 65536, or auto)"},
      {"evaluation: {decode: maybe}", "1:22: evaluation.decode", "(maybe; allowed: true or false)"},
      {"model: {init_from: \"a\\nb\"}", "1:20: model.init_from", "control character in the text"},

      // Out of range.
      {"model: {heads: 0}", "1:16: model.heads", "out of range (0; " + heads},
      {"model: {dropout: 1}", "1:18: model.dropout", "range (1; allowed: number, 0 to below 1)"},
      {"training: {epsilon: 0}", "1:21: training.epsilon",
       "out of range (0; allowed: number, above 0, at most 1)"},
      {"training: {label_smoothing: -0.1}", "1:29: training.label_smoothing",
       "out of range (-0.1; allowed: number, 0 to below 1)"},
      {"seed: -1", "1:7: seed", "range (-1; allowed: whole number, 0 to 18446744073709551615)"},
      {"training: {steps: 99999999999999999999}", "1:19: training.steps",
       "out of range (99999999999999999999; " + steps},
      {"training: {steps: 1e16}", "1:19: training.steps", "out of range (1e16; " + steps},
      {"training: {learning_rate: .inf}", "1:27: training.learning_rate",
       "not finite (.inf; allowed: number, 0 to 1000)"},
  });
}

TEST(ConfigErrors, seeds_mean_the_same_to_every_reader) {
  const std::string problem =
      "whole numbers beyond 2^53 take no point and no exponent: write 9007199254740993 "
      "(9007199254740993.0; allowed: whole number, 0 to 18446744073709551615)";
  expect_config_errors({{"seed: 9007199254740993.0", "1:7: seed", problem},
                        {"{}", "--set seed=9007199254740993.0", problem}});
  expect_config_errors({{R"({"seed": 9007199254740993.0})", "1:10: seed", problem}}, "a.json");
}

// YAML and JSON escapes can put any character into a key or a value.
TEST(ConfigErrors, what_the_file_says_cannot_act_on_a_terminal) {
  const std::string text = "\"a\\r\\t\\e[31m\\x9b\\u202e\"";
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
  EXPECT_THAT(config_error("seed: 1", {"model.\x7f=1"}), StartsWith("--set model.\\u007f=1: "));
}

TEST(ConfigErrors, whatever_is_long_is_cut_in_the_message) {
  EXPECT_LT(config_error("model: {heads: " + std::string(5000, '7') + "}").size(), 200U);
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
  for (const auto& [set, words] : std::vector<std::pair<std::string, std::string>>{
           {"model.heads=0", "out of range (0; allowed: whole number, 1 to 1024)"},
           {"model.hedas=1", "unknown option; did you mean model.heads?"},
           {"modle.heads=1", "unknown name; did you mean model?"},
           {"steps=1", "unknown name; there is the option training.steps"},
           {"sed=1", "unknown name; did you mean seed?"},
           {"model=1", "a section; set one of its options, model.option=value"},
           {"model.heads", "not of the form section.option=value"},
           {"=4", "not of the form section.option=value"},
           {"training.steps=", "not a number (empty text; allowed: whole number, 1 to"},
           {".heads=4",
            "unknown name; there is the option model.heads, attention.heads, encoder_self.heads, "
            "decoder_self.heads, cross.heads"},
           {"model.=4", "unknown option; model "}}) {
    EXPECT_THAT(config_error("seed: 1", {set}), StartsWith("--set " + set + ": " + words));
  }
  EXPECT_THAT(config_error("seed: 1", {"model.init_from=\xFF"}),
              StartsWith("--set:1:17: not UTF-8"));
  EXPECT_THAT(config_error("model: {heads: 0}", {"model.heads=4"}),
              StartsWith("a.yaml:1:16: model.heads: out of range"))
      << "an override does not excuse the file";
}

}}  // namespace tapehead
