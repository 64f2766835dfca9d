// Closed or full streams: the correct exit code, no abort, no silent loss, and no message printed
// into a file.
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Streams : public ProgramRuns {
 protected:
  void SetUp() override { fs::copy(TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", here / "c.yaml"); }
  static inline const std::string full_disk =
      "error: cannot write the output: No space left on device";

  ProgramResult shell(const std::string& command) {
    return run_shell("\"$TAPEHEAD\" " + command, here.path());
  }
  void train() {
    here.output(tiny_training("r"));
    here.write("in", "1 2 3\n");
    here.write("wrong", "1 \xff 3\n");
  }
};

TEST_F(Streams, an_error_that_nobody_can_read_has_its_exit_code) {
  here.write("s.yaml", "config: nowhere.yaml\n");
  const std::map<int, std::vector<std::string>> wrong{
      {2,
       {"", "trian", "train --no-such-option", "train c.yaml --set model.heads=0",
        "plan c.yaml --set task.name=nothing", "sweep s.yaml", "gradcheck c.yaml --only nothing",
        "config c.yaml --set x"}},
      {1,
       {"train c.yaml --run r --resume", "evaluate nowhere", "translate nowhere", "heads nowhere",
        "report nowhere", "prune nowhere p", "export nowhere e --as pytorch", "replay nowhere"}}};
  for (const auto& [code, commands] : wrong) {
    for (const std::string& command : commands) {
      for (const std::string streams :
           {" 2>&-", " 2>/dev/full", " <&- >&- 2>&-", " >/dev/full 2>&1"}) {
        EXPECT_EQ(shell(command + streams).exit_code, code) << command << streams;
      }
    }
  }
}

TEST_F(Streams, output_that_is_lost_is_an_error) {
  train();
  for (const std::string command :
       {"--help", "--version", "train --help", "config --reference", "config --schema",
        "config c.yaml", "plan c.yaml", "evaluate r --json", "heads r", "translate r --input in",
        "report r", "prune r p --head encoder.layers.0.self.0 --overwrite",
        "export r e --as pytorch --overwrite", "gradcheck c.yaml --only decoder.norm.gain"}) {
    const ProgramResult full = shell(command + " >/dev/full");
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_THAT(full.errors, HasSubstr(full_disk));
    EXPECT_EQ(shell(command + " >&- 2>&-").exit_code, 1) << command;
    EXPECT_EQ(shell(command).exit_code, 0) << command;
  }
}

TEST_F(Streams, a_training_without_any_is_the_same_and_a_warning_becomes_no_line_of_a_translation) {
  train();
  const std::string command = shell_command(tiny_training("closed")) + " <&- >&- 2>&-";
  EXPECT_EQ(run_shell(command, here.path()).exit_code, 0);
  expect_same_runs(here / "r", here / "closed");
  EXPECT_THAT(content_of(here / "closed/.lock"), MatchesRegex("tapehead run, process [0-9]+\n"));
  EXPECT_THAT(content_of(here / "closed/log.txt"), HasSubstr("trained 40 steps"));
  for (const std::string streams :
       {" <wrong 2>&-", " <wrong >&- 2>&-", " --input wrong <&- >&- 2>&-"}) {
    EXPECT_EQ(shell("translate r --output o" + streams).exit_code, 0);
    const std::string lines = content_of(here / "o");
    EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
    EXPECT_THAT(lines, Not(HasSubstr("warning")));
  }
  // A closed input is not an empty one.
  const ProgramResult closed = shell("translate r <&-");
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_THAT(closed.errors, HasSubstr("cannot read standard input: Bad file descriptor"));
}

TEST_F(Streams, a_sweep_without_any_keeps_its_results_and_says_that_the_table_is_lost) {
  here.write("s.yaml", tiny_sweep("training.steps: 10}\n"));
  for (const auto& [arguments, exit_code, says] :
       {std::tuple("closed <&- >&- 2>&-", 1, std::string()),
        {"full >/dev/full", 1, full_disk},
        {"messages <&- 2>&-", 0, std::string()}}) {
    const ProgramResult result = shell(std::string("sweep s.yaml --run ") + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(says));
  }
  for (const std::string run : {"closed", "full", "messages"}) {
    EXPECT_TRUE(fs::exists(here / run / "results.json")) << run;
    EXPECT_THAT(content_of(here / run / ".sweep.lock"),
                MatchesRegex("tapehead run, process [0-9]+\n"));
  }
}

// Standard output holds only JSON; messages about the data go to standard error.
TEST_F(Streams, what_is_said_is_not_output) {
  here.write("a.yaml", "task: {name: parallel_text, vocabulary: 120" + pair_files() +
                           "}\nmodel: {d_model: 16, layers: 1}\n");
  const ProgramResult result =
      here.run("gradcheck a.yaml --json --only decoder.norm.gain --set task.max_length=60");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("training pairs dropped"));
  EXPECT_TRUE(nlohmann::json::accept(result.output)) << result.output;
}

}}  // namespace tapehead
