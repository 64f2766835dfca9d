// Errors name the place and the remedy, and nothing is created or lost.
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const std::string configs_of_program = TAPEHEAD_SOURCE_DIR "/configs/";

class Errors : public ProgramRuns {};

// All commands about runs of each kind: of pairs (a), of running text (causal, masked) and of
// classes (classes by an encoder, decoded by a decoder).
TEST_F(Errors, say_what_is_wrong_with_a_command_and_make_nothing) {
  output(tiny_training(
      "a", {"model.max_positions=20", "training.checkpoint_keep=1", "task.longer_min_length=11",
            "task.longer_max_length=12", "task.longer_examples=20"}));
  output(text_training(here, "causal", {"model.max_positions=60"}));
  output(text_training(here, "masked", {"model.family=encoder", "model.max_positions=25"}));
  output(labelled_training(here, "classes"));
  output(labelled_training(here, "decoded", {"model.family=decoder"}));
  fs::create_directory(here / "letters");
  write("letters/one.txt", "dear");
  write("unknown.yaml", "task:\n  name: copy\nmodel:\n  heads: 4\n  d_modell: 32\n");
  write("heads.yaml", "model:\n  heads: 3\n  d_model: 32\n");
  write("pairs.yaml", "task: {name: parallel_text" + pair_files() + "}\n");
  for (const std::string config : {"copy.yaml", "multi30k.yaml"}) {
    fs::copy(configs_of_program + config, here / config);
  }
  write("short.en", "a man is running\ntwo men are waiting\n");
  const auto files = [&] {
    const fs::recursive_directory_iterator all(path());
    return std::set<fs::path>(begin(all), end(all));
  };
  const std::string one_head = "decoder.layers.0.cross.0";
  const std::string no_head = "decoder.layers.3.cross.0";
  const std::string no_token = "knows no token of the text";
  const std::string long_text = "1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2";
  const std::string long_line = std::string(40, 'a') + "<mask>\n";
  const std::string one_checkpoint = "run a keeps 1 checkpoint of its steps";
  const std::string unknown_option =
      "error: unknown.yaml:5:3: model.d_modell: unknown option; did you mean model.d_model?\n";
  const std::string wrong_name = "encoder.layer.0.self.key.weight";
  const std::string nearest = "the nearest: encoder.layers.0.self.key.weight";
  const std::set<fs::path> before = files();
  expect_refusals({
      // Words that are missing, unknown or exclude each other.
      {{}, 2, {"subcommand is required"}},
      {"trian a.yaml", 2, {"error: there is no command trian; did you mean train?\n"}},
      {"train", 2, {"--example copy"}},
      {"sweep", 2, {"--example see_heads"}},
      {"evaluate", 2, {"run is required"}},
      {"config", 2, {"--schema or --reference"}},
      {"heads", 2, {"name a run, or ask for --legend"}},
      {"attention a", 2, {"give one text"}},
      {"train copy.yaml --fast", 2, {"not expected: --fast"}},
      {"train copy.yaml --resume --overwrite", 2, {"--resume excludes --overwrite"}},
      {"train a.yaml --example copy", 2, {"config excludes --example"}},
      {"sweep a.yaml --example see_heads", 2, {"files excludes --example"}},
      {"config a.yaml --schema", 2, {"file excludes --schema"}},
      {"config a.yaml --reference", 2, {"file excludes --reference"}},
      {"config --schema --reference", 2, {"--schema excludes --reference"}},
      {"config --schema --set seed=1", 2, {"--set excludes --schema"}},
      {"config --reference --set seed=1", 2, {"--set excludes --reference"}},
      {"heads a --csv --json", 2, {"--json excludes --csv"}},
      {"heads --legend nowhere", 2, {" has no effect with --legend"}},
      {"heads --legend --importance", 2, {"--importance has no effect with --legend"}},
      {"heads --legend --split test", 2, {"--split has no effect with --legend"}},
      {"heads --legend --json", 2, {"--json has no effect with --legend"}},
      {"heads --reference --all", 2, {"--all has no effect with --reference"}},
      {{"attention", "a", "1 2", "--with-pattern", "4 5"}, 2, {"requires --without"}},

      // Names of nothing.
      {"train nowhere.yaml", 2, {"nowhere.yaml"}},
      {"config nowhere.yaml", 2, {"nowhere.yaml"}},
      {"train --example copi", 2, {"did you mean copy?"}},
      {"train --example nothing", 2, {"there are birth, brackets"}},
      {"train --example see_heads", 2, {"there is no example see_heads"}},  // a sweep
      {"sweep --example see_haeds", 2, {"did you mean see_heads?"}},
      {"describe man nothing", 2, {"there is no command nothing"}},
      {"describe zsh train", 2, {"only `describe man` takes a command"}},
      {"describe fish", 2, {"fish"}},
      {"evaluate nowhere", 1, {"there is no run nowhere"}},
      {"translate nowhere", 1, {"there is no run nowhere"}},
      {"heads nowhere", 1, {"there is no run nowhere"}},
      {"export nowhere e", 1, {"error: there is no run nowhere"}},
      {"export nowhere e --as pytorch", 1, {"error: there is no run nowhere"}},
      {"evaluate letters", 1, {"letters is not a run"}},
      {"translate letters", 1, {"letters is not a run"}},
      {"evaluate a --split tets", 1, {"tets", "train, validation, test, longer"}},
      {"evaluate a --checkpoint nowhere", 1, {"nowhere"}},
      {"heads a --split training", 1, {"no split named training; this task has train"}},
      {{"attention", "a", "1 2", "--without", no_head}, 2, {"decoder.layers.0.cross (4)"}},
      {{"attention", "a", "1 2", "--without", "cross"}, 2, {"cross is no head"}},
      {"attention classes sunny --target cool", 1, {"no class cool; the run's classes are "}},
      {"gradcheck copy.yaml --only dekoder.*",
       2,
       {"--only dekoder.*: no parameter", "from target.embedding to decoder.norm.bias"}},
      {"gradcheck multi30k.yaml", 1, {"task.train_source: ", "no file data/multi30k/train.en in "}},

      // Values that do not fit.
      {"gradcheck a.yaml --seed -1",
       2,
       {"error: --seed: out of range (-1; ", " 0 to 18446744073709551615)\n"}},
      {"report a --sentences 0", 2, {"--sentences: ", "(0; ", " 1 to 1000000000)"}},
      {"train copy.yaml --threads 0", 2, {"--threads: out of range (0; "}},
      {"translate a --beam none", 2, {"--beam: not a number (none; "}},
      {"export a e --as tensorflow", 2, {"--as tensorflow", "transformers, pytorch"}},
      {{"attention", "a", "1 2", "--output", "a.txt"}, 2, {".safetensors, .html or"}},
      {{"attention", "a", "1 2", "--output", "a/config.yaml"}, 2, {"must end in"}},
      {"evaluate causal --context 61", 2, {"--context: ", "(61; ", " 1 to 60"}},
      {{"evaluate", "causal", "--pattern", "windw 3"},
       2,
       {"error: --pattern: no such pattern", "windw 3", "sink_window SINKS BEFORE"}},

      // Options that the run has no use for.
      {"translate a --length-penalty 0.5", 2, {"raise --beam"}},
      {"evaluate a --context 5", 2, {"--context: only running text"}},
      {"evaluate masked --stride 2", 2, {"--stride: an encoder"}},
      {"generate masked", 2, {"use `fill masked`"}},
      {{"attention", "causal", "a man", "--target", "b"}, 2, {"leave --target out"}},
      {"prune a none --closed", 2, {"--closed", "have no gates"}},
      {"heads a --every-checkpoint", 1, {one_checkpoint, "training.checkpoint_keep"}},
      {"report a --every-checkpoint", 1, {one_checkpoint}},

      // Texts and lines.
      {{"attention", "a", "x y"}, 1, {no_token}},
      {{"attention", "a", "1 2", "--without", one_head, "--with-pattern", "x"}, 1, {no_token}},
      {{"attention", "a", ""}, 1, {"the text has no token"}},
      {{"attention", "a", long_text}, 1, {"21 tokens with its mark", "a has 20 positions"}},
      {"fill masked", 1, {"standard input:1: 41 tokens", "the model reads 24"}, long_line},

      // Configs and data.
      {"train unknown.yaml", 2, {unknown_option}},
      {"config unknown.yaml", 2, {unknown_option}},
      {"train heads.yaml", 2, {"error: heads.yaml:2:10: model.heads", "d_model 32"}},
      {"train copy.yaml --set training.learning_rate=fast", 2, {"training.learning_rate", "fast"}},
      {"train copy.yaml --set training.freeze=*", 2, {"training.freeze: no parameter is left"}},
      {"train copy.yaml --set training.freeze=" + wrong_name,
       2,
       {"training.freeze: ", wrong_name, nearest}},
      {"train pairs.yaml --set task.train_source=nowhere/train.en", 1, {"nowhere/train.en"}},
      {"train pairs.yaml --set task.train_source=short.en", 1, {"short.en", "train.de"}},

      // Run directories that cannot be made or written to, even by root.
      {"train copy.yaml --run letters/one.txt/a", 1, {"letters/one.txt/a"}},
      {"train copy.yaml --run letters/one.txt", 1, {"is not a directory"}},
      {"train copy.yaml --run /proc/a", 1, {"error: ", "/proc/a"}},
  });
  for (const std::string run : {"classes", "decoded"}) {
    const std::string remedy = "use `classify " + run + "`";
    expect_refusals({
        {"classify " + run, 1, {"input:2: 2 texts", "the model reads 1"}, "fine\ntwo\ttexts\n"},
        {"translate " + run, 2, {"its task is labelled_text", remedy}, "x\n"},
        {"generate " + run, 2, {remedy}},
        {"score " + run, 2, {remedy}, "x\n"},
        {"fill " + run, 2, {remedy}, "x\n"},
        {"evaluate " + run + " --beam 2", 2, {"without a search"}},
    });
  }
  EXPECT_THAT(refusal(2, "nonsense --help"),
              AllOf(HasSubstr("no command nonsense; there are train, plan"), EndsWith(", replay\n"),
                    Not(HasSubstr("score-run"))));
  EXPECT_THAT(refusal(2, "score-rum"), Not(HasSubstr("score-run")));
  EXPECT_EQ(files(), before);
  output("translate a --length-penalty 0.5 --beam 2");
}

// The options in a command's help that take a value of this type. CLI11 may not parse numbers
// itself: it accepts nan, and reads 010 as 8.
std::vector<std::string> options_of_type(const std::string& wanted, const std::string& help) {
  std::vector<std::string> options;
  for (const std::string& line : lines_of(help)) {
    std::istringstream words(line);
    std::string option;
    std::string type;
    if (words >> option >> type && option.starts_with("--") && type.starts_with(wanted)) {
      options.push_back(option);
    }
    EXPECT_THAT(type, Not(AnyOf(StartsWith("INT"), StartsWith("UINT"), StartsWith("FLOAT"))));
  }
  return options;
}

TEST_F(Errors, every_option_that_takes_a_number_is_read_as_in_a_config) {
  std::size_t options = 0;
  for (const std::string command :
       {"train", "plan", "sweep", "evaluate", "translate", "generate", "score", "heads", "report",
        "import", "prune", "gradcheck", "replay"}) {
    for (const std::string& option : options_of_type("NUMBER", output({command, "--help"}))) {
      ++options;
      for (const std::string value :
           {"nan", "inf", "-inf", "1e400", "-1", "010", "0x10", " ", "4x", ""}) {
        const Arguments runs = command == "prune" ? Arguments{"a", "b"} : Arguments{"a"};
        const std::string errors =
            refusal(2, Arguments{command} + runs + Arguments{option + "=" + value});
        EXPECT_THAT(errors, AllOf(StartsWith("error: " + option + ": "), HasSubstr("; allowed: "),
                                  HasSubstr("number")))
            << command << ' ' << value;
        EXPECT_LT(errors.size(), 160U) << "no limit of hundreds of digits";
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
    for (const std::string& option : options_of_type("TEXT", output({command, "--help"}))) {
      ++options;
      EXPECT_THAT(refusal(2, {command, "a", "b", option + "=", "--frobnicate"}),
                  AnyOf(AllOf(HasSubstr("not expected"), HasSubstr("--frobnicate")),
                        HasSubstr("excludes"), HasSubstr(" requires ")))
          << command << ' ' << option;
    }
  }
  EXPECT_GE(options, 40U);
  // The word after an option is always its value, and after -- there are no options.
  EXPECT_THAT(complaint("generate nowhere --prompt --stop="), HasSubstr("there is no run nowhere"));
  EXPECT_THAT(complaint("evaluate -- --checkpoint="), HasSubstr("there is no run --checkpoint="));
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
    EXPECT_THAT(complaint(arguments),
                Not(AnyOf(HasSubstr("\r"), HasSubstr("\x1b"), HasSubstr("\x7f"))));
  }
}

TEST_F(Errors, a_mistake_costs_no_earlier_run) {
  output(tiny_training("a"));
  const std::string before = content_of(here / "a/metrics.jsonl");
  write("text.yaml", "task: {name: text, train_text: nowhere}\nmodel: {family: decoder}\n");
  expect_refusals({{tiny_training("a", {"model.heads=0"}, {"--overwrite"}), 2, {"model.heads"}},
                   {"train text.yaml --run a --overwrite", 1, {"task.train_text", "nowhere"}}});
  EXPECT_EQ(content_of(here / "a/metrics.jsonl"), before);
  output("evaluate a");
}

TEST_F(Errors, help_and_version_are_no_errors) {
  for (const char* command : {"--help", "train --help", "evaluate --help", "translate --help",
                              "config --help", "--version"}) {
    const ProgramResult result = run(command);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.errors, "");
    EXPECT_NE(result.output, "");
  }
  EXPECT_THAT(output("--version"),
              MatchesRegex("tapehead [0-9]+\\.[0-9]+\\.[0-9]+(, commit [0-9a-f]+(-dirty)?)?\n"
                           "kernels: [a-z0-9]+ \\([A-Z0-9-]+\\)\n"
                           "BLAS: OpenBLAS [0-9.]+ .*; kernels in use: [A-Za-z0-9]+\n"
                           "bfloat16: (plain|avx512_bf16|amx)\n"));
}

TEST_F(Errors, the_kernel_for_bfloat16_may_be_forced_but_not_to_another) {
  const auto version = [&](const std::string& kernel) {
    return run_shell("TAPEHEAD_PRODUCTS=" + kernel + " \"$TAPEHEAD\" --version", path());
  };
  EXPECT_THAT(version("plain").output, HasSubstr("\nbfloat16: plain\n"));
  const ProgramResult unknown = version("abacus");
  EXPECT_THAT(unknown.errors, StartsWith("error: TAPEHEAD_PRODUCTS is abacus, but the kernels for "
                                         "bfloat16 here are plain"));
  EXPECT_EQ(unknown.exit_code, 2);
}

TEST_F(Errors, of_the_system_are_told_in_plain_words) {
  const ProgramResult gone =
      run_shell("mkdir gone && cd gone && rmdir ../gone && exec \"$TAPEHEAD\" plan " +
                    configs_of_program + "multi30k.yaml",
                path());
  EXPECT_NE(gone.exit_code, 0);
  EXPECT_THAT(gone.errors, AllOf(HasSubstr("error: "), HasSubstr(": No such file or directory"),
                                 Not(HasSubstr("filesystem error"))));
  const ProgramResult full = run_shell("\"$TAPEHEAD\" config --schema >/dev/full", path());
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("No space left on device"));
}

// Simulates a full disk: a file size limit (60 kB, in blocks of 512 bytes) between the sizes of
// checkpoints without and with the optimiser's state.
TEST_F(Errors, a_checkpoint_that_cannot_be_written_leaves_the_earlier_ones) {
  output(tiny_training("a", {"training.steps=20", "training.checkpoint_every=20"}));
  const ProgramResult result = run_shell(
      "ulimit -f 117; " + shell_command(resumed_training("a", {"training.steps=40"})), path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("step_00000040"), HasSubstr("File too large")));
  EXPECT_THAT(content_of(here / "a/log.txt"), HasSubstr("error: "));
  EXPECT_THAT(checkpoint_names(here / "a"),
              ElementsAre("best.safetensors", "step_00000020.safetensors"));
  output(resumed_training("a"));
}

class NotFinite : public Errors {
 protected:
  // Resumes a; checks the message, and that the last checkpoint is usable.
  std::string stopped(const Arguments& options) {
    const ProgramResult result = run(resumed_training("a", options));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, AllOf(HasSubstr("error: step "), HasSubstr("learning_rate")));
    EXPECT_THAT(content_of(here / "a/log.txt"), HasSubstr("error: step "));
    EXPECT_THAT(content_of(here / "a/metrics.jsonl"), Not(HasSubstr("\"loss\":null")));
    output("evaluate a");
    return result.errors;
  }
};

TEST_F(NotFinite, a_loss_gradient_or_evaluation_that_overflows_stops_the_run) {
  output(tiny_training("start", {"training.steps=20", "training.optimizer=sgd"}));
  const auto diverge = [&](const Arguments& more) {
    fs::remove_all(here / "a");
    fs::copy(here / "start", here / "a", fs::copy_options::recursive);
    return stopped(Arguments{"training.learning_rate=1000", "training.clip_norm=0",
                             "training.schedule=constant", "training.steps=40"} +
                   more);
  };
  EXPECT_THAT(diverge({}), AnyOf(HasSubstr("first seen in "), HasSubstr("the gradient ")));
  diverge({"evaluation.every=1"});
}

TEST_F(NotFinite, a_bad_weight_is_not_saved_over_a_good_one) {
  output(tiny_training("a", {"training.steps=20"}));
  // Epsilon rounds to 0, which gives 0 / 0 for weights with a zero gradient.
  EXPECT_THAT(stopped({"training.epsilon=1e-300", "training.steps=40"}), HasSubstr("embedding"));
  EXPECT_THAT(checkpoint_names(here / "a"), AllOf(Contains("step_00000020.safetensors"),
                                                  Not(Contains("step_00000030.safetensors"))));
}

TEST_F(Errors, a_damaged_or_missing_checkpoint_is_named) {
  output(tiny_training("a"));
  const fs::path best = here / "a/checkpoints/best.safetensors";
  fs::resize_file(best, fs::file_size(best) - 10);
  for (const std::string command : {"evaluate a", "translate a"}) {
    expect_refusals(
        {{command, 1, {"best.safetensors"}}, {command + " --checkpoint average", 1, {"average"}}});
    output(command + " --checkpoint last");
  }
}

}}  // namespace tapehead
