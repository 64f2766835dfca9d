// A training survives the loss of its console, and a repeated signal does not interrupt the save.
#include "tests/support/program_runs.hpp"
#include "tests/support/terminal.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/output/signals.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Only a stop makes a checkpoint.
const Arguments endless{"training.steps=1000000", "training.checkpoint_every=1000000",
                        "evaluation.every=1000000"};
const Arguments some_seconds{"training.steps=200", "evaluation.every=200",
                             "training.checkpoint_every=200"};

class ConsoleLoss : public ProgramRuns {
 protected:
  bool is_training(const std::string& run) const {
    return wait_until([&] {
      return content_of(here / run / "metrics.jsonl").find("\"step\":3,") != std::string::npos;
    });
  }
  void expect_saved(const std::string& run) const {
    ASSERT_TRUE(fs::exists(here / run / "checkpoints"));
    ASSERT_EQ(checkpoint_names(here / run).size(), 1U);
    EXPECT_THAT(*checkpoint_names(here / run).begin(), HasSubstr("step_"));
  }
  void expect_whole(const std::string& run) const {
    EXPECT_TRUE(fs::exists(step_checkpoint(here / run, 200)));
    EXPECT_THAT(content_of(here / run / "log.txt"), HasSubstr("trained 200 steps"));
  }
  std::string write_sweep(const std::string& rest) const {
    write("s.yaml",
          "config: " TAPEHEAD_SOURCE_DIR
          "/configs/copy.yaml\n"
          "set: {task.train_examples: 600, task.test_examples: 4, task.validation_examples: 4,\n"
          "  model.d_model: 16, model.layers: 1, training.warmup: 1,\n"
          "  training.batch_tokens: 256, " +
              rest);
    return "s.yaml";
  }
};

// Sends signals with pauses, so that the kernel does not merge them, but within `same_stop`.
void send_again_and_again(const Program& program, int signal) {
  constexpr std::chrono::milliseconds spell(300);
  static_assert(spell < same_stop);
  const auto end = std::chrono::steady_clock::now() + spell;
  while (std::chrono::steady_clock::now() < end) {
    program.kill(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// timeout(1) forwards a signal twice: to the command, and to its process group.
TEST_F(ConsoleLoss, a_signal_saves_and_stops_once_unless_it_was_ignored_at_the_start) {
  const CommandLine training = Arguments{TAPEHEAD_PROGRAM} + tiny_training("a", endless);
  const CommandLine shorter = Arguments{TAPEHEAD_PROGRAM} + tiny_training("a", some_seconds);
  const CommandLine sweep{TAPEHEAD_PROGRAM, "sweep",
                          write_sweep("training.steps: 1000000, training.checkpoint_every: "
                                      "1000000, evaluation.every: 1000000}\n"),
                          "--run", "s"};
  struct Case {
    CommandLine words;
    int signal;
    bool again = false;
    std::string says = "stopped at step ";
  };
  const std::string swept = "stopped, 0 of 1 runs finished";
  for (const auto& [words, signal, again, says] : std::vector<Case>{
           {training, SIGHUP},
           {training, SIGINT, true},
           {training, SIGTERM, true},
           {training, SIGHUP, true},
           {Arguments{"/usr/bin/timeout", "1000"} + training, SIGTERM},
           {sweep, SIGHUP, false, swept},
           {sweep, SIGTERM, true, swept},
           {Arguments{"/usr/bin/nohup"} + shorter, SIGHUP, false, "trained 200 steps"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", fmt::join(words, " "), signal, again));
    const std::string run = says == swept ? "s/seed=1" : "a";
    fs::remove_all(here / "a");
    fs::remove_all(here / "s");
    Program program(Arguments(words.begin() + 1, words.end()), here.path(), words.front());
    ASSERT_TRUE(is_training(run));
    again ? send_again_and_again(program, signal) : program.kill(signal);
    const ProgramResult result = program.wait();
    if (!again) {  // a signal that comes after the save may end the process before it says so
      EXPECT_THAT(result.errors, HasSubstr(says));
    }
    if (words.front() == "/usr/bin/nohup") {
      EXPECT_EQ(result.exit_code, 0);
      expect_whole(run);
    } else {
      EXPECT_EQ(result.exit_code, 128 + signal);
      expect_saved(run);
    }
  }
}

TEST_F(ConsoleLoss, a_pipe_that_nobody_reads_ends_no_training_and_no_sweep) {
  Arguments words = tiny_training("a", some_seconds);
  set_options(words, {"run.log_seconds=0.01"});
  const Arguments sweep{
      "sweep", write_sweep("training.steps: 4}\nseeds: 2\n"), "--parallel", "1", "--run", "s"};
  for (const std::string& command :
       {shell_command(words) + " 2>&1", shell_command(sweep) + " 2>&1 >out"}) {
    const std::string script = "{ " + command + "; echo $? >code; } | head -c 1";
    EXPECT_EQ(run_shell(script, here.path()).exit_code, 0);
    EXPECT_EQ(content_of(here / "code"), "0\n");
  }
  expect_whole("a");
  EXPECT_THAT(content_of(here / "out"), HasSubstr("2/2"));
}

// Replaces this process by the training, with the terminal as its controlling terminal.
int train_on(int terminal, const fs::path& directory, const Arguments& words) {
  ::setsid();
  const int console = ::open(::ptsname(terminal), O_RDWR);  // becomes the controlling terminal
  for (const int descriptor : {0, 1, 2}) {
    ::dup2(console, descriptor);
  }
  fs::current_path(directory);
  ::setenv("TAPEHEAD", TAPEHEAD_PROGRAM, 1);
  ::execl("/bin/sh", "sh", "-c", ("exec " + shell_command(words)).c_str(), nullptr);
  return 98;
}

TEST_F(ConsoleLoss, a_terminal_that_is_closed_saves_or_changes_nothing) {
  for (const bool ignored : {false, true}) {
    const std::string run = ignored ? "on" : "saved";
    const int terminal = new_terminal();
    ChildProcess child([&] {
      if (ignored) {
        std::signal(SIGHUP, SIG_IGN);
      }
      return train_on(terminal, here.path(), tiny_training(run, ignored ? some_seconds : endless));
    });
    std::array<char, 64> shown{};
    ASSERT_GT(::read(terminal, shown.data(), shown.size()), 0);
    ASSERT_TRUE(is_training(run));
    ::close(terminal);
    EXPECT_EQ(child.wait(), ignored ? 0 : 128 + SIGHUP);
    ignored ? expect_whole(run) : expect_saved(run);
  }
}

TEST_F(ConsoleLoss, a_live_line_is_taken_back_before_what_a_command_prints) {
  here.output(tiny_training("a"));
  const int terminal = new_terminal();
  ChildProcess child(
      [&] { return train_on(terminal, here.path(), {"prune", "a", "b", "--count", "1"}); });
  const std::string shown = read_terminal(terminal);
  EXPECT_EQ(child.wait(), 0);
  const std::size_t last = shown.rfind("heads tried: ");
  ASSERT_NE(last, std::string::npos) << shown;
  EXPECT_THAT(shown.substr(last), ContainsRegex("^heads tried: [0-9]+ of [0-9]+\r\033\\[K"));
  EXPECT_THAT(shown, HasSubstr("removed 1 of 12 heads"));
}

}}  // namespace tapehead
