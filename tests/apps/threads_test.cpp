// tapehead train: bit-identical weights for any number of threads, also if it changes during a run;
// and the default number of threads.
#include "core/kernel/workers.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

const std::string from_text = "parallel_text";

class Threads : public ProgramRuns, public WithParamInterface<std::string> {
 protected:
  // There are more shards than some runs have threads, and fewer than others. Steps have two
  // batches (mixed lengths for text); dropout everywhere.
  void SetUp() override {
    const bool text = GetParam() == from_text;
    here.write("task.yaml",
               "task: {name: " + GetParam() +
                   (text ? ", vocabulary: 120, subword_dropout: 0.2" + pair_files()
                         : ", vocabulary: 11, min_length: 1, max_length: 9, train_examples: 300, "
                           "validation_examples: 6, test_examples: 6") +
                   "}\nmodel: {d_model: 16, layers: 1, dropout: 0.2}\ntraining: {batch_lengths: " +
                   (text ? "mixed" : "alike") +
                   ", batch_tokens: 200, accumulate: 2, shards: 5, schedule: constant, "
                   "checkpoint_every: 4, average_last: 2}\n"
                   "evaluation: {every: 4, decode_examples: 1}\n");
  }

  // Trains or resumes a run up to `steps`.
  void train(const std::string& run, int threads, int steps, const std::string& options = "") {
    here.output(fmt::format("train task.yaml --run {} --threads {} --set training.steps={}{}", run,
                            threads, steps, options));
  }
};

INSTANTIATE_TEST_SUITE_P(Of, Threads, Values("copy", "reverse", from_text),
                         [](const auto& test) { return test.param; });

TEST_P(Threads, do_not_change_a_bit_and_may_change_when_a_run_goes_on) {
  for (const int threads : {1, 2, 3, 4, 8}) {
    train(std::to_string(threads), threads, 8);
  }
  train("again", 1, 8);
  train("broken", 3, 4);
  train("broken", 8, 8, " --resume");
  for (const std::string run : {"again", "2", "3", "4", "8", "broken"}) {
    expect_same_runs(here / "1", here / run);
  }
  EXPECT_TRUE(checkpoint_names(here / "1").contains("average.safetensors"));
}

class ThreadNumber : public ProgramRuns {
 protected:
  std::string train = shell_command(tiny_training("a", {"training.steps=6"}, {"--overwrite"}));
};

TEST_F(ThreadNumber, comes_with_what_decided_it) {
  const auto messages = [&](const std::string& options) {
    return run_shell("OMP_NUM_THREADS=1 " + train + options, here.path()).errors;
  };
  EXPECT_THAT(messages(""),
              HasSubstr(usable_cores().count > 1 ? "1 thread (OMP_NUM_THREADS), "
                                                 : "1 thread (cores of the process), "));
  EXPECT_THAT(messages(" --threads 2"), HasSubstr("2 threads (--threads), "));
}

// Address space in KiB for a few buffers of OpenBLAS, or for none.
TEST_F(ThreadNumber, that_needs_too_many_addresses_is_an_error_and_no_endless_loop) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses";
#endif
  int trained = 0;
  for (int limit = 130'000; limit <= 1'030'000; limit += 100'000) {
    const ProgramResult end = run_shell(
        fmt::format("ulimit -v {}; exec timeout 60 {} --threads 3", limit, train), here.path());
    EXPECT_THAT(end.exit_code, AnyOf(0, 1)) << limit;
    if (end.exit_code == 1) {
      EXPECT_THAT(end.errors,
                  AnyOf(HasSubstr("error: out of memory"), HasSubstr("error: cannot start thread")))
          << limit;
    }
    if (limit == 130'000) {
      EXPECT_THAT(end.errors,
                  ContainsRegex("needs (128|32) MiB of addresses for each thread, but there are "
                                "enough for only [0-2] of 3 threads; use fewer threads"));
    }
    trained += end.exit_code == 0 ? 1 : 0;
  }
  EXPECT_GT(trained, 0);
}

}}  // namespace tapehead
