// A training survives the loss of its console, and a repeated signal does not interrupt the save.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
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
  void expect_whole(const std::string& run, int step) const {
    EXPECT_TRUE(fs::exists(step_checkpoint(here / run, step)));
    EXPECT_THAT(content_of(here / run / "log.txt"), HasSubstr("trained 200 steps"));
  }
  // Starts the training by another program, such as timeout(1) or nohup(1).
  Program by(const std::string& file, Arguments words, const Arguments& training) const {
    words.emplace_back(TAPEHEAD_PROGRAM);
    words.insert(words.end(), training.begin(), training.end());
    return Program(words, here.path(), file);
  }
  std::string write_sweep() const {
    std::ofstream(here / "s.yaml")
        << "config: " TAPEHEAD_SOURCE_DIR
           "/configs/copy.yaml\n"
           "set: {task.train_examples: 600, task.test_examples: 4, task.validation_examples: 4,\n"
           "  model.d_model: 16, model.layers: 1, training.warmup: 1,\n"
           "  training.batch_tokens: 256, training.steps: 1000000,\n"
           "  training.checkpoint_every: 1000000, evaluation.every: 1000000}\n";
    return "s.yaml";
  }
};

TEST_F(ConsoleLoss, a_hangup_saves_and_stops) {
  Program program(tiny_training("a", endless), here.path());
  ASSERT_TRUE(is_training("a"));
  program.kill(SIGHUP);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGHUP);
  EXPECT_THAT(result.errors, HasSubstr("stopped at step "));
  expect_saved("a");
}

TEST_F(ConsoleLoss, a_hangup_is_ignored_where_it_was_at_the_start) {
  Program program = by("/usr/bin/nohup", {}, tiny_training("a", some_seconds));
  ASSERT_TRUE(is_training("a"));
  program.kill(SIGHUP);
  EXPECT_EQ(program.wait().exit_code, 0);
  expect_whole("a", 200);
}

// timeout(1) forwards a signal twice: to the command, and to its process group.
TEST_F(ConsoleLoss, the_signals_of_timeout_save_and_stop) {
  Program program = by("/usr/bin/timeout", {"1000"}, tiny_training("a", endless));
  ASSERT_TRUE(is_training("a"));
  program.kill(SIGTERM);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  EXPECT_THAT(result.errors, HasSubstr("stopped at step "));
  expect_saved("a");
}

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

TEST_F(ConsoleLoss, a_signal_that_comes_again_and_again_at_once_does_not_end_the_save) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove_all(here / "a");
    Program program(tiny_training("a", endless), here.path());
    ASSERT_TRUE(is_training("a"));
    send_again_and_again(program, signal);
    EXPECT_EQ(program.wait().exit_code, 128 + signal);
    expect_saved("a");
  }
}

TEST_F(ConsoleLoss, sweeps_save_their_runs_at_a_hangup) {
  Program program({"sweep", write_sweep(), "--run", "s"}, here.path());
  ASSERT_TRUE(is_training("s/seed=1"));
  program.kill(SIGHUP);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGHUP);
  EXPECT_THAT(result.errors, HasSubstr("stopped, 0 of 1 runs finished"));
  expect_saved("s/seed=1");
}

TEST_F(ConsoleLoss, sweeps_save_their_runs_though_a_signal_comes_again_and_again) {
  Program program({"sweep", write_sweep(), "--run", "s"}, here.path());
  ASSERT_TRUE(is_training("s/seed=1"));
  send_again_and_again(program, SIGTERM);
  EXPECT_EQ(program.wait().exit_code, 128 + SIGTERM);
  expect_saved("s/seed=1");
}

TEST_F(ConsoleLoss, a_pipe_that_nobody_reads_ends_no_training) {
  Arguments words = tiny_training("a", some_seconds);
  set_options(words, {"run.log_seconds=0.01"});
  const std::string command = "{ " + shell_command(words) + "; echo $? >code; } 2>&1 | head -c 1";
  EXPECT_EQ(run_shell(command, here.path()).exit_code, 0);
  EXPECT_EQ(content_of(here / "code"), "0\n");
  expect_whole("a", 200);
}

TEST_F(ConsoleLoss, a_pipe_that_nobody_reads_ends_no_sweep) {
  std::ofstream(here / "s.yaml") << "config: " TAPEHEAD_SOURCE_DIR
                                    "/configs/copy.yaml\n"
                                    "set: {task.train_examples: 100, task.test_examples: 4,\n"
                                    "  task.validation_examples: 4, model.d_model: 8,\n"
                                    "  model.layers: 1, training.warmup: 1, training.steps: 4}\n"
                                    "seeds: 2\n";
  const std::string sweep = "\"$TAPEHEAD\" sweep s.yaml --parallel 1 --run s 2>&1 >out";
  const std::string command = "{ " + sweep + "; echo $? >code; } | head -c 1";
  EXPECT_EQ(run_shell(command, here.path()).exit_code, 0);
  EXPECT_EQ(content_of(here / "code"), "0\n");
  EXPECT_THAT(content_of(here / "out"), HasSubstr("2/2"));
}

// The master side of a new terminal.
int new_terminal() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
    throw std::runtime_error("there is no terminal to be had");
  }
  return master;
}

// Replaces this process by the training, with the terminal as its controlling terminal.
int train_on(int terminal, const fs::path& directory, Arguments words) {
  ::setsid();
  const int console = ::open(::ptsname(terminal), O_RDWR);  // becomes the controlling terminal
  for (const int descriptor : {0, 1, 2}) {
    ::dup2(console, descriptor);
  }
  fs::current_path(directory);
  words.insert(words.begin(), TAPEHEAD_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execv(TAPEHEAD_PROGRAM, pointers.data());
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
    ignored ? expect_whole(run, 200) : expect_saved(run);
  }
}

TEST_F(ConsoleLoss, a_live_line_is_taken_back_before_what_a_command_prints) {
  here.output(tiny_training("a"));
  const int terminal = new_terminal();
  ChildProcess child(
      [&] { return train_on(terminal, here.path(), {"prune", "a", "b", "--count", "1"}); });
  std::string shown;
  std::array<char, 4096> some{};
  for (ssize_t read = 1; read > 0; shown.append(some.data(), static_cast<std::size_t>(read))) {
    read = std::max<ssize_t>(0, ::read(terminal, some.data(), some.size()));  // fails at the end
  }
  EXPECT_EQ(child.wait(), 0);
  ::close(terminal);
  const std::size_t last = shown.rfind("heads tried: ");
  ASSERT_NE(last, std::string::npos) << shown;
  EXPECT_THAT(shown.substr(last), ContainsRegex("^heads tried: [0-9]+ of [0-9]+\r\033\\[K"));
  EXPECT_THAT(shown, HasSubstr("removed 1 of 12 heads"));
}

}}  // namespace tapehead
