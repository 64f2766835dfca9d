// tapehead train: bit-identical weights for any number of threads, also if it changes during a run;
// and the default number of threads.
#include "core/kernel/workers.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

const std::string from_text = "parallel_text";

// The config for a task. There are more shards than some runs have threads, and fewer than others.
// Steps have two batches (mixed lengths for text); dropout everywhere.
void write_config(const TemporaryDirectory& here, const std::string& task) {
  const std::string synthetic =
      "  vocabulary: 11\n  min_length: 1\n  max_length: 9\n  train_examples: 300\n"
      "  validation_examples: 6\n  test_examples: 6\n";
  const std::string data = TAPEHEAD_FIXTURES "/text/";
  const std::string text = "  train_source: " + data + "train.en\n  train_target: " + data +
                           "train.de\n  validation_source: " + data +
                           "test.en\n  validation_target: " + data +
                           "test.de\n  vocabulary: 120\n  subword_dropout: 0.2\n";
  std::ofstream(here / "task.yaml")
      << "task:\n  name: " << task << "\n"
      << (task == from_text ? text : synthetic) << R"(
model: {d_model: 16, layers: 1, dropout: 0.2}
training: {batch_lengths: )"
      << (task == from_text ? "mixed" : "alike")
      << R"(, batch_tokens: 200, accumulate: 2, shards: 5, schedule: constant, checkpoint_every: 4}
evaluation: {every: 4, decode_examples: 1}
)";
}

class Threads : public ProgramRuns, public WithParamInterface<std::string> {
 protected:
  void SetUp() override { write_config(here, GetParam()); }

  // Trains or resumes a run up to `steps`.
  void train(const std::string& run, const std::string& threads, int steps,
             const Arguments& options = {}) {
    Arguments arguments{"train", "task.yaml", "--run", run, "--threads", threads};
    set_options(arguments, {"training.steps=" + std::to_string(steps)});
    arguments.insert(arguments.end(), options.begin(), options.end());
    here.output(arguments);
  }
  // Compares weights and optimiser state after the last step.
  void expect_same_weights(const std::string& one, const std::string& other) {
    expect_same_file(step_checkpoint(here / one, 8), step_checkpoint(here / other, 8));
  }
};

INSTANTIATE_TEST_SUITE_P(Of, Threads, Values("copy", "reverse", from_text),
                         [](const auto& test) { return test.param; });

TEST_P(Threads, do_not_change_a_bit) {
  train("1", "1", 8);
  for (const std::string threads : {"2", "3", "4", "8"}) {
    train(threads, threads, 8);
    expect_same_weights("1", threads);
  }
}

TEST_P(Threads, may_change_when_a_run_goes_on) {
  train("unbroken", "1", 8);
  train("broken", "3", 4);
  train("broken", "8", 8, {"--resume"});
  expect_same_weights("unbroken", "broken");
}

TEST(ThreadNumber, comes_with_what_decided_it) {
  const ProgramDirectory here;
  const std::string train = shell_command(tiny_training("a", {"training.steps=6"}));
  EXPECT_THAT(run_shell("OMP_NUM_THREADS=1 " + train + " --overwrite", here.path()).errors,
              HasSubstr(usable_cores().count > 1 ? "1 thread (OMP_NUM_THREADS), "
                                                 : "1 thread (cores of the process), "));
  EXPECT_THAT(
      run_shell("OMP_NUM_THREADS=1 " + train + " --threads 2 --overwrite", here.path()).errors,
      HasSubstr("2 threads (--threads), "));
}

// Address space in KiB for a few buffers of OpenBLAS, or for none.
TEST(ThreadNumber, that_needs_too_many_addresses_is_an_error_and_no_endless_loop) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses";
#endif
  const ProgramDirectory here;
  const std::string train = shell_command(tiny_training("a", {"training.steps=6"}));
  int trained = 0;
  for (int limit = 130'000; limit <= 1'030'000; limit += 100'000) {
    const ProgramResult end = run_shell(
        fmt::format("ulimit -v {}; exec timeout 60 {} --threads 3 --overwrite", limit, train),
        here.path());
    EXPECT_THAT(end.exit_code, AnyOf(0, 1)) << limit;
    if (end.exit_code == 1) {
      EXPECT_THAT(end.errors,
                  AnyOf(HasSubstr("error: out of memory"), HasSubstr("error: cannot start thread")))
          << limit;
    }
    if (limit == 130'000) {
      EXPECT_THAT(end.errors,
                  ContainsRegex("needs (128|32) MiB of addresses for each thread, and only those "
                                "for [0-2] of 3 threads are free; use fewer threads"));
    }
    trained += end.exit_code == 0 ? 1 : 0;
  }
  EXPECT_GT(trained, 0);
}

}}  // namespace tapehead
