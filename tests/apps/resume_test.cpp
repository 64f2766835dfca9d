// A run that was stopped in any way resumes bit-identical to an uninterrupted run.
#include "tests/support/tiny_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Long enough to be interrupted in the middle.
constexpr int long_steps = 160;
const Arguments long_options{"training.steps=160", "training.checkpoint_every=10",
                             "evaluation.every=20", "training.average_last=3",
                             "training.accumulate=2"};
constexpr int by_kill = 128 + SIGKILL;

class Resume : public TinyRuns {
 protected:
  int newest_step(const std::string& name) const { return tapehead::newest_step(here / name); }

  // Starts or resumes a training, and sends the signal once the condition holds.
  template <class Condition>
  ProgramResult interrupt(const Arguments& arguments, int signal, const Condition& condition) {
    Program program(arguments, here.path());
    EXPECT_TRUE(wait_until(condition));
    program.kill(signal);
    return program.wait();
  }
  ProgramResult interrupt_at(const Arguments& arguments, int signal, const std::string& name,
                             int step) {
    const int least = std::max(step, newest_step(name) + 1);  // a save has begun
    return interrupt(arguments, signal, [&] { return newest_step(name) >= least; });
  }
  bool contains(const fs::path& file, const std::string& text) const {
    return content_of(here / file).find(text) != std::string::npos;
  }
};

TEST_F(Resume, after_kills_at_several_moments_the_bits_are_the_same) {
  for (const Arguments& more : {Arguments{},
                                {"training.optimizer=muon", "training.weight_decay=0.1",
                                 "training.decay_gains=false", "training.decay_biases=false"}}) {
    const Arguments options = long_options + more;
    train(tiny_training("unbroken", options, {"--threads", "1", "--overwrite"}));
    fs::remove_all(here / "broken");
    const Arguments start = tiny_training("broken", options, {"--threads", "2"});
    EXPECT_EQ(interrupt_at(start, SIGKILL, "broken", 10).exit_code, by_kill);
    for (const int step : {40, 80}) {
      const Arguments again = start + Arguments{"--resume"};
      EXPECT_EQ(interrupt_at(again, SIGKILL, "broken", step).exit_code, by_kill);
    }
    EXPECT_LT(newest_step("broken"), long_steps);
    const std::string said = resumed("broken", {}, {"--threads", "3"});
    EXPECT_THAT(said, HasSubstr("resuming broken at step"));
    if (!more.empty()) {
      EXPECT_THAT(said, ContainsRegex("weight decay +0.1 on [0-9]+ weights, [0-9]+ embeddings; "
                                      "not on [0-9]+ gains, [0-9]+ biases\n"));
    }
    expect_same_runs(here / "unbroken", here / "broken");
  }
}

TEST_F(Resume, a_stop_in_the_last_interval_leaves_no_trace) {
  const Arguments options{"training.steps=160", "training.checkpoint_every=100",
                          "evaluation.every=80", "training.accumulate=2"};
  train(tiny_training("unbroken", options));
  const ProgramResult stopped = interrupt(tiny_training("broken", options), SIGTERM, [&] {
    return contains("broken/metrics.jsonl", "\"step\":102,");
  });
  ASSERT_GT(newest_step("broken"), 100) << stopped.errors;
  ASSERT_LT(newest_step("broken"), 160) << "stopped too late to show anything";
  resumed("broken");
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, without_a_checkpoint_it_starts_at_step_0) {
  train(tiny_training("unbroken"));
  for (const std::string file : {".lock", "config.yaml", "metrics.jsonl"}) {
    fs::remove_all(here / "broken");
    interrupt(tiny_training("broken", {"training.checkpoint_every=40"}), SIGKILL,
              [&] { return fs::exists(here / "broken" / file); });
    ASSERT_EQ(newest_step("broken"), 0) << "killed too late to show anything";
    EXPECT_THAT(train(tiny_training("broken", {}, {"--resume"})).errors, HasSubstr("at step 0"));
    expect_same_runs(here / "unbroken", here / "broken");
  }
}

TEST_F(Resume, a_finished_run_stays_as_it_is_and_a_torn_line_of_metrics_is_written_again) {
  train(tiny_training("a"));
  copy_run("a", "before");
  resumed("a");
  expect_same_runs(here / "before", here / "a");
  std::ofstream(here / "a/metrics.jsonl", std::ios::app) << R"({"step":41,"lo)";
  resumed("a");
  expect_same_runs(here / "before", here / "a");
}

TEST_F(Resume, a_signal_during_the_final_test_is_heard) {
  const Arguments arguments =
      tiny_training("a", {"task.test_examples=2000", "task.longer_min_length=11",
                          "task.longer_max_length=12", "task.longer_examples=20"});
  const ProgramResult stopped =
      interrupt(arguments, SIGTERM, [&] { return contains("a/log.txt", "testing on test"); });
  EXPECT_EQ(stopped.exit_code, 128 + SIGTERM);
  EXPECT_THAT(stopped.errors, HasSubstr("stopped at step 40"));
  EXPECT_THAT(resumed("a"), HasSubstr("testing on longer"));
}

TEST_F(Resume, a_signal_saves_the_run_which_ends_with_the_same_bits) {
  train(tiny_training("unbroken", long_options));
  const Arguments start = tiny_training("broken", long_options);
  for (const auto& [signal, arguments, earliest] :
       {std::tuple(SIGINT, start, 20), std::tuple(SIGTERM, resumed_training("broken"), 80)}) {
    const ProgramResult stopped = interrupt_at(arguments, signal, "broken", earliest);
    EXPECT_EQ(stopped.exit_code, 128 + signal) << stopped.errors;
    const std::string saved = fmt::format("stopped at step {};", newest_step("broken"));
    EXPECT_THAT(stopped.errors, AllOf(HasSubstr(saved), HasSubstr("copy.yaml"),
                                      HasSubstr("--run broken"), HasSubstr("--resume")));
  }
  const int step = newest_step("broken");
  EXPECT_LT(step, long_steps);
  EXPECT_THAT(resumed("broken"), HasSubstr(fmt::format("resuming broken at step {}\n", step)));
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, a_run_can_be_made_longer) {
  const std::string steady = "training.schedule=constant";
  train(tiny_training("long", {steady, "training.steps=60"}));
  train(tiny_training("short", {steady}));  // 40 steps
  resumed("short", {"training.steps=60"});
  expect_same_runs(here / "long", here / "short");
  EXPECT_THAT(content_of(here / "short/config.yaml"), HasSubstr("steps: 60"));
}

TEST_F(Resume, a_run_in_use_is_refused_until_its_process_dies) {
  Program holder(tiny_training("a", {"training.steps=100000"}), here.path());
  ASSERT_TRUE(wait_until([&] { return newest_step("a") > 0; }));
  const std::string process = fmt::format("in use by process {}", holder.id());
  const Arguments again = tiny_training("a", {}, {"--overwrite"});
  expect_refusals({{resumed_training("a"), 1, {process}}, {again, 1, {process}}});
  holder.kill(SIGKILL);
  EXPECT_EQ(holder.wait().exit_code, by_kill);
  train(again);
}

TEST_F(Resume, does_not_need_the_run_whose_weights_it_started_from) {
  train(tiny_training("first"));
  train(tiny_training("a", {"model.init_from=first", "seed=2"}));
  copy_run("a", "unbroken");
  fs::remove_all(here / "first");
  fs::remove(step_checkpoint(here / "a", 40));
  resumed("a");
  expect_same_runs(here / "unbroken", here / "a");
}

}}  // namespace tapehead
