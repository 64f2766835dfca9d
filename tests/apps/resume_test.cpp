// A run that was stopped in any way resumes bit-identical to an uninterrupted run.
#include <csignal>

#include "tests/support/testing.hpp"
#include "tests/support/tiny_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Long enough to be interrupted in the middle.
constexpr int long_steps = 160;
const Arguments long_training{fmt::format("training.steps={}", long_steps),
                              "training.checkpoint_every=10", "evaluation.every=20",
                              "training.average_last=3", "training.accumulate=2"};

class Resume : public TinyRuns {
 protected:
  // The step of the newest checkpoint; 0 if there is none.
  int newest_step(const std::string& name) const {
    int newest = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(here / name / "checkpoints", ignored)) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with("step_") && file.ends_with(".safetensors")) {
        newest = std::max(newest, std::stoi(file.substr(5)));
      }
    }
    return newest;
  }

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
};

constexpr int killed = 128 + SIGKILL;

TEST_F(Resume, after_kills_at_several_moments_the_bits_are_the_same) {
  train(tiny_training("unbroken", long_training, {"--threads", "1"}));
  const Arguments start = tiny_training("broken", long_training, {"--threads", "2"});
  Arguments again = start;
  again.emplace_back("--resume");
  EXPECT_EQ(interrupt_at(start, SIGKILL, "broken", 10).exit_code, killed);
  EXPECT_EQ(interrupt_at(again, SIGKILL, "broken", 40).exit_code, killed);
  EXPECT_EQ(interrupt_at(again, SIGKILL, "broken", 80).exit_code, killed);
  EXPECT_LT(newest_step("broken"), long_steps);
  const ProgramResult end = resume("broken", {}, {"--threads", "3"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("resuming broken at step"));
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, muon_and_sparing_decay_go_on_with_the_same_bits) {
  Arguments options = long_training;
  options.insert(options.end(), {"training.optimizer=muon", "training.weight_decay=0.1",
                                 "training.decay_gains=false", "training.decay_biases=false"});
  train(tiny_training("unbroken", options, {"--threads", "1"}));
  const Arguments start = tiny_training("broken", options, {"--threads", "2"});
  EXPECT_EQ(interrupt_at(start, SIGKILL, "broken", 20).exit_code, killed);
  EXPECT_LT(newest_step("broken"), long_steps);
  const ProgramResult end = resume("broken", {}, {"--threads", "3"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, ContainsRegex("weight decay +0.1 on [0-9]+ weights, [0-9]+ embeddings; "
                                        "not on [0-9]+ gains, [0-9]+ biases\n"));
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, a_stop_in_the_last_interval_leaves_no_trace) {
  const Arguments options{"training.steps=160", "training.checkpoint_every=100",
                          "evaluation.every=80", "training.accumulate=2"};
  train(tiny_training("unbroken", options));
  const ProgramResult stopped = interrupt(tiny_training("broken", options), SIGTERM, [&] {
    return content_of(here / "broken/metrics.jsonl").find("\"step\":102,") != std::string::npos;
  });
  ASSERT_GT(newest_step("broken"), 100) << stopped.errors;
  ASSERT_LT(newest_step("broken"), 160) << "stopped too late to show anything";
  EXPECT_EQ(resume("broken").exit_code, 0);
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, without_a_checkpoint_it_starts_at_step_0) {
  train(tiny_training("unbroken"));
  for (const std::string file : {".lock", "config.yaml", "metrics.jsonl"}) {
    fs::remove_all(here / "broken");
    const Arguments slow{"training.checkpoint_every=40", "training.steps=40"};
    interrupt(tiny_training("broken", slow), SIGKILL,
              [&] { return fs::exists(here / "broken" / file); });
    ASSERT_EQ(newest_step("broken"), 0) << "killed too late to show anything";
    const ProgramResult end = run(tiny_training("broken", {}, {"--resume"}));
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_THAT(end.errors, HasSubstr("at step 0"));
    expect_same_runs(here / "unbroken", here / "broken");
  }
}

TEST_F(Resume, a_torn_line_of_metrics_is_written_again) {
  train(tiny_training("a"));
  copy_run("a", "unbroken");
  std::ofstream(here / "a/metrics.jsonl", std::ios::app) << R"({"step":41,"lo)";
  EXPECT_EQ(resume("a").exit_code, 0);
  expect_same_runs(here / "unbroken", here / "a");
}

TEST_F(Resume, a_signal_during_the_final_test_is_heard) {
  const Arguments arguments =
      tiny_training("a", {"task.test_examples=2000", "task.longer_min_length=11",
                          "task.longer_max_length=12", "task.longer_examples=20"});
  const ProgramResult stopped = interrupt(arguments, SIGTERM, [&] {
    return content_of(here / "a/log.txt").find("testing on test") != std::string::npos;
  });
  EXPECT_EQ(stopped.exit_code, 128 + SIGTERM);
  EXPECT_THAT(stopped.errors, HasSubstr("stopped at step 40"));
  const ProgramResult end = resume("a");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.errors, HasSubstr("testing on longer"));
}

TEST_F(Resume, a_signal_saves_the_run_which_ends_with_the_same_bits) {
  train(tiny_training("unbroken", long_training));
  const Arguments start = tiny_training("broken", long_training);
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
  const ProgramResult end = resume("broken");
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr(fmt::format("resuming broken at step {}\n", step)));
  expect_same_runs(here / "unbroken", here / "broken");
}

TEST_F(Resume, a_run_can_be_made_longer) {
  const Arguments steady{"training.schedule=constant", "training.steps=40"};
  train(tiny_training("long", {"training.schedule=constant", "training.steps=60"}));
  train(tiny_training("short", steady));
  EXPECT_EQ(resume("short", {"training.steps=60"}).exit_code, 0);
  expect_same_runs(here / "long", here / "short");
  EXPECT_THAT(content_of(here / "short/config.yaml"), HasSubstr("steps: 60"));
}

TEST_F(Resume, a_finished_run_stays_as_it_is) {
  train(tiny_training("a"));
  copy_run("a", "before");
  EXPECT_EQ(resume("a").exit_code, 0);
  expect_same_runs(here / "before", here / "a");
}

TEST_F(Resume, does_not_need_the_run_whose_weights_it_started_from) {
  train(tiny_training("first"));
  const Arguments from_first{"model.init_from=first", "seed=2"};
  train(tiny_training("a", from_first));
  copy_run("a", "unbroken");
  fs::remove_all(here / "first");
  fs::remove(step_checkpoint(here / "a", 40));
  const ProgramResult end = resume("a");
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  expect_same_runs(here / "unbroken", here / "a");
}

TEST_F(Resume, a_run_in_use_is_refused_until_its_process_dies) {
  const Arguments endless = tiny_training("a", {"training.steps=100000"});
  Program holder(endless, here.path());
  ASSERT_TRUE(wait_until([&] { return newest_step("a") > 0; }));
  const std::string process = fmt::format("in use by process {}", holder.id());
  const ProgramResult resumed = resume("a");
  EXPECT_EQ(resumed.exit_code, 1);
  EXPECT_THAT(resumed.errors, HasSubstr(process));
  EXPECT_THAT(refusal(1, tiny_training("a", {}, {"--overwrite"})), HasSubstr(process));
  holder.kill(SIGKILL);
  EXPECT_EQ(holder.wait().exit_code, killed);
  EXPECT_EQ(run(tiny_training("a", {}, {"--overwrite"})).exit_code, 0);
}

}}  // namespace tapehead
