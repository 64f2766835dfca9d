// Closed or full streams: the correct exit code, no abort, no silent loss, and no message printed
// into a file.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const std::string shipped_config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";

class Streams : public ProgramRuns {
 protected:
  int exit_code_of(const std::string& command) { return run_shell(command, here.path()).exit_code; }
  void train() {
    here.output(tiny_training("r"));
    std::ofstream(here / "in") << "1 2 3\n";
    std::ofstream(here / "wrong") << "1 \xff 3\n";
  }
};

TEST_F(Streams, an_error_that_nobody_can_read_has_its_exit_code) {
  std::ofstream(here / "s.yaml") << "config: nowhere.yaml\n";
  const std::vector<std::pair<Arguments, int>> wrong{
      {{}, 2},
      {{"trian"}, 2},
      {{"train", "--no-such-option"}, 2},
      {{"train", shipped_config, "--set", "model.heads=0"}, 2},
      {{"train", shipped_config, "--run", "r", "--resume"}, 1},
      {{"plan", shipped_config, "--set", "task.name=nothing"}, 2},
      {{"sweep", "s.yaml"}, 2},
      {{"gradcheck", shipped_config, "--only", "nothing"}, 2},
      {{"evaluate", "nowhere"}, 1},
      {{"translate", "nowhere"}, 1},
      {{"heads", "nowhere"}, 1},
      {{"report", "nowhere"}, 1},
      {{"prune", "nowhere", "p"}, 1},
      {{"export", "nowhere", "e", "--as", "pytorch"}, 1},
      {{"replay", "nowhere"}, 1},
      {{"config", shipped_config, "--set", "x"}, 2}};
  for (const auto& [words, code] : wrong) {
    for (const std::string streams : {"2>&-", "2>/dev/full", "<&- >&- 2>&-", ">/dev/full 2>&1"}) {
      const std::string command = shell_command(words) + ' ' + streams;
      EXPECT_EQ(exit_code_of(command), code) << command;
    }
  }
}

TEST_F(Streams, output_that_is_lost_is_an_error) {
  train();
  const std::vector<Arguments> commands{
      {"--help"},
      {"--version"},
      {"train", "--help"},
      {"config", "--reference"},
      {"config", "--schema"},
      {"config", shipped_config},
      {"plan", shipped_config},
      {"evaluate", "r", "--json"},
      {"heads", "r"},
      {"translate", "r", "--input", "in"},
      {"report", "r"},
      {"prune", "r", "p", "--head", "encoder.layers.0.self.0", "--overwrite"},
      {"export", "r", "e", "--as", "pytorch", "--overwrite"},
      {"gradcheck", shipped_config, "--only", "decoder.norm.gain"}};
  for (const Arguments& words : commands) {
    const std::string command = shell_command(words);
    const ProgramResult full = run_shell(command + " >/dev/full", here.path());
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_THAT(full.errors, HasSubstr("error: cannot write the output: No space left on device"));
    EXPECT_EQ(exit_code_of(command + " >&- 2>&-"), 1) << command;
    EXPECT_EQ(exit_code_of(command), 0) << command;
  }
}

TEST_F(Streams, a_training_without_any_is_the_same_training) {
  train();
  const std::string command = shell_command(tiny_training("closed")) + " <&- >&- 2>&-";
  EXPECT_EQ(exit_code_of(command), 0);
  expect_same_runs(here / "r", here / "closed");
  EXPECT_THAT(content_of(here / "closed/.lock"), MatchesRegex("tapehead run, process [0-9]+\n"));
  EXPECT_THAT(content_of(here / "closed/log.txt"), HasSubstr("trained 40 steps"));
}

TEST_F(Streams, a_warning_becomes_no_line_of_a_translation) {
  train();
  for (const std::string streams :
       {"<wrong 2>&-", "<wrong >&- 2>&-", "--input wrong <&- >&- 2>&-"}) {
    EXPECT_EQ(exit_code_of(shell_command({"translate", "r", "--output", "o"}) + ' ' + streams), 0);
    const std::string lines = content_of(here / "o");
    EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
    EXPECT_THAT(lines, Not(HasSubstr("warning")));
  }
}

TEST_F(Streams, a_closed_input_is_not_an_empty_one) {
  train();
  const ProgramResult closed = run_shell("\"$TAPEHEAD\" translate r <&-", here.path());
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_THAT(closed.errors, HasSubstr("cannot read standard input: Bad file descriptor"));
}

TEST_F(Streams, a_sweep_without_any_keeps_its_results_and_says_that_the_table_is_lost) {
  std::ofstream(here / "s.yaml") << "config: " << shipped_config
                                 << "\nset: {task.train_examples: 100, task.test_examples: 4,\n"
                                    "  task.validation_examples: 4, model.d_model: 8,\n"
                                    "  model.layers: 1, training.warmup: 1, training.steps: 4}\n";
  EXPECT_EQ(exit_code_of("\"$TAPEHEAD\" sweep s.yaml --run closed <&- >&- 2>&-"), 1);
  const ProgramResult full =
      run_shell("\"$TAPEHEAD\" sweep s.yaml --run full >/dev/full", here.path());
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("error: cannot write the output: No space left on device"));
  EXPECT_EQ(exit_code_of("\"$TAPEHEAD\" sweep s.yaml --run messages <&- 2>&-"), 0);
  for (const std::string run : {"closed", "full", "messages"}) {
    EXPECT_TRUE(fs::exists(here / run / "results.json")) << run;
    EXPECT_THAT(content_of(here / run / ".sweep.lock"),
                MatchesRegex("tapehead run, process [0-9]+\n"));
  }
}

// Standard output holds only JSON; messages about the data go to standard error.
TEST_F(Streams, what_is_said_is_not_output) {
  const std::string text = TAPEHEAD_FIXTURES "/text/";
  Arguments words{"gradcheck", TAPEHEAD_SOURCE_DIR "/configs/multi30k.yaml", "--json", "--only",
                  "decoder.norm.gain"};
  for (const std::string split : {"train", "validation", "test"}) {
    set_options(words, {"task." + split + "_source=" + text + split + ".en",
                        "task." + split + "_target=" + text + split + ".de"});
  }
  set_options(words, {"task.vocabulary=120", "task.max_length=60"});
  const ProgramResult result = here.run(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("training pairs dropped"));
  EXPECT_TRUE(nlohmann::json::accept(result.output)) << result.output;
}

}}  // namespace tapehead
