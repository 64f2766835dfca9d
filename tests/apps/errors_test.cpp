// Errors name the place and the remedy, and nothing is created or lost.
#include <sys/resource.h>

#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr int wrong_command = 2;
constexpr int failed = 1;

class Errors : public ProgramRuns {
 protected:
  void train(const Arguments& arguments) { output(arguments); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(here / file) << text;
  }
  bool made(const std::string& file) const { return fs::exists(here / file); }
};

TEST_F(Errors, a_wrong_config_gives_its_place_and_makes_nothing) {
  write("a.yaml", "task:\n  name: copy\nmodel:\n  heads: 4\n  d_modell: 32\n");
  const ProgramResult result = run({"train", "a.yaml"});
  EXPECT_EQ(result.exit_code, wrong_command);
  EXPECT_EQ(result.errors,
            "error: a.yaml:5:3: model.d_modell: unknown option; did you mean model.d_model?\n");
  EXPECT_FALSE(made("runs"));
  EXPECT_EQ(run({"config", "a.yaml"}).errors, result.errors);
}

TEST_F(Errors, an_unknown_command_is_told_from_those_there_are) {
  const ProgramResult close = run({"trian", "a.yaml"});
  EXPECT_EQ(close.exit_code, wrong_command);
  EXPECT_EQ(close.errors, "error: there is no command trian; did you mean train?\n");
  EXPECT_THAT(refusal(wrong_command, {"nonsense", "--help"}),
              AllOf(HasSubstr("no command nonsense; there are train, plan"), EndsWith(", replay\n"),
                    Not(HasSubstr("score-run"))));
  EXPECT_THAT(run({"score-rum"}).errors, Not(HasSubstr("score-run")));
}

TEST_F(Errors, numbers_out_of_range_are_told_with_the_range) {
  const ProgramResult seed = run({"gradcheck", "a.yaml", "--seed", "-1"});
  EXPECT_EQ(seed.exit_code, wrong_command);
  EXPECT_EQ(seed.errors,
            "error: --seed: out of range (-1; allowed: whole number, 0 to 18446744073709551615)\n");
  const ProgramResult sentences = run({"report", "a", "--sentences", "0"});
  EXPECT_EQ(sentences.exit_code, wrong_command);
  EXPECT_EQ(sentences.errors,
            "error: --sentences: out of range (0; allowed: whole number, 1 to 1000000000)\n");
}

// The options in a command's help that take a value of this type. CLI11 may not parse numbers
// itself: it accepts nan, and reads 010 as 8.
std::vector<std::string> options_of_type(std::string_view wanted, const std::string& help) {
  std::vector<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string option;
    std::string type;
    if (words >> option >> type && option.starts_with("--") && type.starts_with(wanted)) {
      options.push_back(option);
    }
    for (const std::string other : {"INT", "UINT", "FLOAT"}) {
      EXPECT_FALSE(type.starts_with(other)) << line;
    }
  }
  return options;
}

TEST_F(Errors, every_option_that_takes_a_number_is_read_as_in_a_config) {
  std::size_t options = 0;
  for (const std::string command :
       {"train", "plan", "sweep", "evaluate", "translate", "generate", "score", "heads", "report",
        "import", "prune", "gradcheck", "replay"}) {
    for (const std::string& option : options_of_type("NUMBER", run({command, "--help"}).output)) {
      ++options;
      for (const std::string value :
           {"nan", "inf", "-inf", "1e400", "-1", "010", "0x10", " ", "4x", ""}) {
        Arguments arguments{command, "a", option + "=" + value};
        if (command == "prune") {
          arguments.emplace_back("b");
        }
        const ProgramResult result = run(arguments);
        EXPECT_EQ(result.exit_code, wrong_command) << command << ' ' << option << '=' << value;
        EXPECT_THAT(result.errors, AllOf(StartsWith("error: " + option + ": "),
                                         HasSubstr("; allowed: "), HasSubstr("number")));
        EXPECT_LT(result.errors.size(), 160U) << "no limit of hundreds of digits";
      }
    }
  }
  EXPECT_EQ(options, 37U);  // threads of eleven commands, and 26 others
}

// The next word is an unknown option: it must be rejected, not taken as the value.
TEST_F(Errors, an_empty_value_is_the_value_and_not_the_next_word) {
  std::size_t options = 0;
  for (const std::string command :
       {"train", "plan", "sweep", "evaluate", "translate", "generate", "classify", "fill", "score",
        "attention", "heads", "report", "import", "export", "prune", "config", "replay"}) {
    for (const std::string& option : options_of_type("TEXT", run({command, "--help"}).output)) {
      ++options;
      const ProgramResult result = run({command, "a", "b", option + "=", "--frobnicate"});
      EXPECT_EQ(result.exit_code, wrong_command) << command << ' ' << option;
      EXPECT_THAT(result.errors, AnyOf(AllOf(HasSubstr("not expected"), HasSubstr("--frobnicate")),
                                       HasSubstr("excludes"), HasSubstr(" requires ")))
          << command << ' ' << option;
    }
  }
  EXPECT_GE(options, 40U);
  // The word after an option is always its value, and after -- there are no options.
  EXPECT_THAT(run({"generate", "nowhere", "--prompt", "--stop="}).errors,
              HasSubstr("there is no run nowhere"));
  EXPECT_THAT(run({"evaluate", "--", "--checkpoint="}).errors,
              HasSubstr("there is no run --checkpoint="));
}

TEST_F(Errors, what_stands_on_the_command_line_cannot_act_on_the_terminal) {
  const std::string hidden = "a\r\x1b[31m\x7f";
  for (const Arguments& arguments :
       {Arguments{hidden}, Arguments{"config", hidden}, Arguments{"evaluate", hidden},
        Arguments{"translate", "a", "--beam", hidden}, Arguments{"train", "a.yaml", "--" + hidden},
        Arguments{"prune", "a", "b", "--head", hidden}, Arguments{"report", hidden},
        tiny_training("a", {hidden}), tiny_training("a", {"model.init_from=runs/" + hidden}),
        Arguments{"sweep", hidden}, Arguments{"replay", hidden},
        Arguments{"export", hidden, "e", "--as", "pytorch"},
        Arguments{"export", "a", "e", "--as", hidden}}) {
    const ProgramResult result = run(arguments);
    EXPECT_NE(result.exit_code, 0);
    for (const char* raw : {"\r", "\x1b", "\x7f"}) {
      EXPECT_THAT(result.errors, Not(HasSubstr(raw)));
    }
  }
}

TEST_F(Errors, a_length_penalty_is_for_a_beam) {
  train(tiny_training("a"));
  EXPECT_THAT(refusal(wrong_command, {"translate", "a", "--length-penalty", "0.5"}),
              HasSubstr("raise --beam"));
  EXPECT_EQ(run({"translate", "a", "--length-penalty", "0.5", "--beam", "2"}).exit_code, 0);
}

TEST_F(Errors, options_that_contradict_each_other_are_a_wrong_config) {
  write("a.yaml", "model:\n  heads: 3\n  d_model: 32\n");
  EXPECT_THAT(refusal(wrong_command, {"train", "a.yaml"}),
              AllOf(StartsWith("error: a.yaml:2:10: model.heads"), HasSubstr("d_model 32")));
  EXPECT_FALSE(made("runs"));
}

TEST_F(Errors, a_wrong_override_is_a_wrong_config) {
  EXPECT_THAT(refusal(wrong_command, tiny_training("a", {"training.learning_rate=fast"})),
              AllOf(HasSubstr("training.learning_rate"), HasSubstr("fast")));
  EXPECT_FALSE(made("a"));
}

TEST_F(Errors, a_wrong_config_costs_no_earlier_run) {
  train(tiny_training("a"));
  const std::string before = content_of(here / "a/metrics.jsonl");
  EXPECT_EQ(run(tiny_training("a", {"model.heads=0"}, {"--overwrite"})).exit_code, wrong_command);
  EXPECT_EQ(content_of(here / "a/metrics.jsonl"), before);
}

TEST_F(Errors, wrong_commands_and_options) {
  for (const Arguments& arguments :
       {Arguments{"trian", "a.yaml"}, Arguments{}, Arguments{"train"},
        tiny_training("a", {}, {"--fast"}), tiny_training("a", {}, {"--threads", "0"}),
        tiny_training("a", {}, {"--resume", "--overwrite"}), Arguments{"evaluate"},
        Arguments{"translate", "a", "--beam", "none"}, Arguments{"config"},
        Arguments{"config", "a.yaml", "--schema"}, Arguments{"config", "a.yaml", "--reference"},
        Arguments{"config", "--schema", "--reference"},
        Arguments{"config", "--schema", "--set", "seed=1"},
        Arguments{"config", "--reference", "--set", "seed=1"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, wrong_command) << PrintToString(arguments);
    EXPECT_NE(result.errors, "");
    EXPECT_FALSE(made("a"));
  }
}

TEST_F(Errors, help_and_version_are_no_errors) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"train", "--help"}, Arguments{"evaluate", "--help"},
        Arguments{"translate", "--help"}, Arguments{"config", "--help"}, Arguments{"--version"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.errors, "");
    EXPECT_NE(result.output, "");
  }
}

TEST_F(Errors, the_version_says_what_the_program_was_built_from) {
  EXPECT_THAT(run({"--version"}).output,
              MatchesRegex("tapehead [0-9]+\\.[0-9]+\\.[0-9]+(, commit [0-9a-f]+(-dirty)?)?\n"
                           "kernels: [a-z0-9]+ \\([A-Z0-9-]+\\)\n"
                           "BLAS: OpenBLAS [0-9.]+ .*; kernels in use: [A-Za-z0-9]+\n"));
}

TEST_F(Errors, an_example_that_there_is_not) {
  EXPECT_THAT(run({"train", "--example", "copi"}).errors, HasSubstr("did you mean copy?"));
  EXPECT_THAT(run({"train", "--example", "nothing"}).errors,
              HasSubstr("there are birth, brackets"));
  EXPECT_THAT(run({"train"}).errors, HasSubstr("--example copy"));
  const ProgramResult both = run({"train", "a.yaml", "--example", "copy"});
  EXPECT_EQ(both.exit_code, wrong_command);
  EXPECT_FALSE(made("runs"));
}

TEST_F(Errors, a_missing_config_file_is_named) {
  for (const std::string command : {"train", "config"}) {
    const ProgramResult result = run({command, "nowhere.yaml"});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.errors, HasSubstr("nowhere.yaml"));
    EXPECT_FALSE(made("runs"));
  }
}

// A training on the English-German fixture, with another file of source sentences.
Arguments text_training(const std::string& train_source, const Arguments& options = {}) {
  const std::string fixtures = TAPEHEAD_FIXTURES "/text/";
  Arguments arguments{"train", "text.yaml", "--run", "a"};
  set_options(arguments,
              {"task.train_source=" + train_source, "task.train_target=" + fixtures + "train.de",
               "task.validation_source=" + fixtures + "validation.en",
               "task.validation_target=" + fixtures + "validation.de"});
  return arguments + options;
}

constexpr const char* text_config = "task:\n  name: parallel_text\n";

TEST_F(Errors, missing_data_is_named_and_nothing_is_made) {
  write("text.yaml", text_config);
  const Arguments arguments = text_training("nowhere/train.en");
  EXPECT_THAT(refusal(failed, arguments), HasSubstr("nowhere/train.en"));
  EXPECT_FALSE(made("a"));
}

TEST_F(Errors, missing_data_costs_no_earlier_run) {
  train(tiny_training("a"));
  const std::string before = content_of(here / "a/metrics.jsonl");
  write("text.yaml", text_config);
  const Arguments arguments = text_training("nowhere/train.en", {"--overwrite"});
  EXPECT_EQ(run(arguments).exit_code, failed);
  EXPECT_EQ(content_of(here / "a/metrics.jsonl"), before);
  EXPECT_EQ(run({"evaluate", "a"}).exit_code, 0);
}

TEST_F(Errors, unequal_line_counts_are_told_with_file_and_line) {
  write("text.yaml", text_config);
  write("short.en", "a man is running\ntwo men are waiting\n");
  const Arguments arguments = text_training("short.en");
  EXPECT_THAT(refusal(failed, arguments), AllOf(HasSubstr("short.en"), HasSubstr("train.de")));
  EXPECT_FALSE(made("a"));
}

TEST_F(Errors, a_run_directory_that_cannot_be_made) {
  write("file", "");
  EXPECT_THAT(refusal(failed, tiny_training("file/a")), HasSubstr("file/a"));
  EXPECT_THAT(refusal(failed, tiny_training("file")), HasSubstr("is not a directory"));
}

TEST_F(Errors, a_run_directory_that_cannot_be_written_to) {
  const ProgramResult result = run(tiny_training("/proc/a"));  // not writable, even for root
  EXPECT_EQ(result.exit_code, failed);
  EXPECT_THAT(result.errors, AllOf(StartsWith("error: "), HasSubstr("/proc/a")));
}

TEST_F(Errors, a_directory_that_is_gone_is_told_in_plain_words) {
  const ProgramResult result = run_shell(
      "mkdir gone && cd gone && rmdir ../gone && "
      "exec \"$TAPEHEAD\" plan " TAPEHEAD_SOURCE_DIR "/configs/multi30k.yaml",
      here.path());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("error: "), HasSubstr(": No such file or directory"),
                                   Not(HasSubstr("filesystem error"))));
}

// Simulates a full disk: a file size limit that only small files stay below.
TEST_F(Errors, a_checkpoint_that_cannot_be_written_leaves_the_earlier_ones) {
  constexpr rlim_t most = 60'000;  // size between checkpoints with and without optimiser state
  train(tiny_training("a", {"training.steps=20", "training.checkpoint_every=20"}));
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{.rlim_cur = most, .rlim_max = old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const ProgramResult result = run(resumed_training("a", {"training.steps=40"}));
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(result.exit_code, failed);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("step_00000040"), HasSubstr("File too large")));
  EXPECT_THAT(content_of(here / "a/log.txt"), HasSubstr("error: "));
  EXPECT_EQ(checkpoint_names(here / "a").count("step_00000020.safetensors"), 1U);
  EXPECT_EQ(checkpoint_names(here / "a").size(), 2U) << "best, and the one of step 20";
  EXPECT_EQ(run(resumed_training("a")).exit_code, 0);
}

class NotFinite : public Errors {
 protected:
  // Checks the message, and that the last checkpoint is usable.
  void expect_stopped(const ProgramResult& result) {
    EXPECT_EQ(result.exit_code, failed);
    EXPECT_THAT(result.errors, AllOf(HasSubstr("error: step "), HasSubstr("learning_rate")));
    EXPECT_THAT(content_of(here / "a/log.txt"), HasSubstr("error: step "));
    EXPECT_EQ(content_of(here / "a/metrics.jsonl").find("\"loss\":null"), std::string::npos);
    output({"evaluate", "a"});
  }
};

TEST_F(NotFinite, a_loss_or_gradient_that_overflows_stops_the_run) {
  train(tiny_training("a", {"training.steps=20", "training.optimizer=sgd"}));
  const ProgramResult result =
      run(resumed_training("a", {"training.learning_rate=1000", "training.clip_norm=0",
                                 "training.schedule=constant", "training.steps=40"}));
  expect_stopped(result);
  EXPECT_THAT(result.errors, AnyOf(HasSubstr("first seen in "), HasSubstr("the gradient ")));
}

TEST_F(NotFinite, an_evaluation_that_overflows_stops_the_run) {
  train(tiny_training("a", {"training.steps=20", "training.optimizer=sgd"}));
  const Arguments diverging{"training.learning_rate=1000", "training.clip_norm=0",
                            "training.schedule=constant", "training.steps=40"};
  Arguments always = diverging;
  always.emplace_back("evaluation.every=1");
  expect_stopped(run(resumed_training("a", always)));
}

TEST_F(NotFinite, a_bad_weight_is_not_saved_over_a_good_one) {
  train(tiny_training("a", {"training.steps=20"}));
  // Epsilon rounds to 0, which gives 0 / 0 for weights with a zero gradient.
  const ProgramResult result =
      run(resumed_training("a", {"training.epsilon=1e-300", "training.steps=40"}));
  expect_stopped(result);
  EXPECT_THAT(result.errors, HasSubstr("embedding"));
  EXPECT_EQ(checkpoint_names(here / "a").count("step_00000020.safetensors"), 1U);
  EXPECT_EQ(checkpoint_names(here / "a").count("step_00000030.safetensors"), 0U);
}

TEST_F(Errors, what_is_no_run_cannot_be_used) {
  fs::create_directory(here / "letters");
  write("letters/one.txt", "dear");
  for (const std::string command : {"evaluate", "translate"}) {
    EXPECT_THAT(refusal(failed, {command, "nowhere"}), HasSubstr("there is no run nowhere"));
    EXPECT_THAT(refusal(failed, {command, "letters"}), HasSubstr("letters is not a run"));
  }
}

TEST_F(Errors, output_that_cannot_be_written_is_an_error) {
  const std::string command = std::string(TAPEHEAD_PROGRAM) + " config --schema > /dev/full 2> '" +
                              (here / "errors").string() + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), failed);
  EXPECT_THAT(content_of(here / "errors"), HasSubstr("No space left on device"));
}

TEST_F(Errors, a_damaged_or_missing_checkpoint_is_named) {
  train(tiny_training("a"));
  const fs::path best = here / "a/checkpoints/best.safetensors";
  fs::resize_file(best, fs::file_size(best) - 10);
  for (const std::string command : {"evaluate", "translate"}) {
    EXPECT_THAT(refusal(failed, {command, "a"}), HasSubstr("best.safetensors"));
    EXPECT_EQ(run({command, "a", "--checkpoint", "last"}).exit_code, 0);
    EXPECT_EQ(run({command, "a", "--checkpoint", "average"}).exit_code, failed);
  }
}

}}  // namespace tapehead
