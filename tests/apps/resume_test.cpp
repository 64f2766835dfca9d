// A run that was stopped, by whatever means, goes on to the very bits of a run that was not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "core/version.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Long enough to be caught in the middle.
constexpr int long_steps = 160;
const Arguments long_training{fmt::format("training.steps={}", long_steps),
                              "training.checkpoint_every=10", "evaluation.every=20",
                              "training.average_last=3", "training.accumulate=2"};

class Resume : public ::testing::Test {
 protected:
  ProgramResult run(const Arguments& arguments) { return run_program(arguments, here.path()); }
  ProgramResult train(const Arguments& arguments) {
    ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  ProgramResult resume(const std::string& name, const Arguments& overrides = {},
                       const Arguments& options = {}) {
    return run(resumed_training(name, overrides, options));
  }

  // The newest checkpoint's step; 0: none yet.
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

  // Starts a training, or goes on with it, and sends the signal once the condition holds.
  template <class Condition>
  ProgramResult interrupt(const Arguments& arguments, int signal, const Condition& condition) {
    Program program(arguments, here.path());
    EXPECT_TRUE(wait_until(condition));
    program.kill(signal);
    return program.wait();
  }
  ProgramResult interrupt_at(const Arguments& arguments, int signal, const std::string& name,
                             int step) {
    const int least = std::max(step, newest_step(name) + 1);  // it has begun to save
    return interrupt(arguments, signal, [&] { return newest_step(name) >= least; });
  }

  void copy_run(const std::string& from, const std::string& to) const {
    fs::copy(here / from, here / to, fs::copy_options::recursive);
  }

  TemporaryDirectory here;
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

TEST_F(Resume, a_config_file_that_has_changed_is_not_ignored_in_silence) {
  train(tiny_training("a"));
  // Of the run's own options only d_model, set at its start, is looked at here; training.steps is
  // set again.
  const ProgramResult end = resume("a", {"training.steps=45"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, AllOf(HasSubstr("the run continues with its own config, not with"),
                                HasSubstr("model.d_model: 16, not 64\n"),
                                Not(HasSubstr("training.steps:")), Not(HasSubstr("seed:"))));
  const Arguments own{"train", (here / "a/config.yaml").string(), "--run", "a", "--resume"};
  EXPECT_THAT(run(own).errors, Not(HasSubstr("own config")));
}

TEST_F(Resume, by_other_kernels_is_not_to_the_bit_which_is_said) {
  train(tiny_training("a"));
  const std::string warning = "not the same to the bit";
  EXPECT_THAT(resume("a", {"training.steps=45"}).errors, Not(HasSubstr(warning)));
  std::string record = content_of(here / "a/record.json");
  const std::string level = fmt::format("\"level\": \"{}\"", kernel_level());
  const std::size_t last = record.rfind(level);
  ASSERT_NE(last, std::string::npos) << record;
  std::ofstream(here / "a/record.json")
      << record.replace(last, level.size(), "\"level\": \"abacus\"");
  const ProgramResult end = resume("a", {"training.steps=50"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors,
              AllOf(HasSubstr(warning),
                    HasSubstr(fmt::format("kernels {} (was abacus)\n", kernel_level()))));
}

TEST_F(Resume, what_decided_how_it_began_is_kept_or_refused) {
  train(tiny_training("a"));
  const std::string weights = content_of(here / "a/checkpoints/best.safetensors");
  for (const auto& [option, value] : {std::pair("training.optimizer", "sgd"),
                                      {"training.freeze", "[encoder.*]"},
                                      {"model.initializer", "normal"},
                                      {"model.init_from", "b"},
                                      {"decoder_self.start", "identical"}}) {
    const ProgramResult end =
        resume("a", {"training.steps=50", fmt::format("{}={}", option, value)});
    EXPECT_EQ(end.exit_code, 2) << option;
    EXPECT_THAT(end.errors, AllOf(HasSubstr(fmt::format("({}: ", option)),
                                  HasSubstr("model.init_from=a --run DIR\n")));
  }
  EXPECT_EQ(content_of(here / "a/checkpoints/best.safetensors"), weights);
  EXPECT_EQ(resume("a", {"training.steps=50", "training.freeze=[]"}).exit_code, 0);
}

TEST_F(Resume, fewer_steps_than_there_are_already_are_said_to_be) {
  train(tiny_training("a"));
  const ProgramResult end = resume("a", {"training.steps=7"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("the run is past training.steps 7 already\n"));
}

// As of a model that was pruned or imported, or of a run whose other checkpoints took too much
// room.
TEST_F(Resume, weights_without_a_training_are_not_replaced) {
  train(tiny_training("a"));
  for (const int step : {30, 40}) fs::remove(step_checkpoint(here / "a", step));
  const std::string weights = content_of(here / "a/checkpoints/best.safetensors");
  const auto expect_refused = [&] {
    const ProgramResult end = resume("a", {});
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_THAT(end.errors, AllOf(HasSubstr("a has weights, but no checkpoint"),
                                  HasSubstr("--set model.init_from=a --run DIR\n")));
    EXPECT_EQ(content_of(here / "a/checkpoints/best.safetensors"), weights);
  };
  expect_refused();
  fs::remove(here / "a/record.json");
  expect_refused();
}

// An epoch has some 16 batches.
TEST_F(Resume, other_batches_begin_with_the_next_epoch) {
  train(tiny_training("a", {"training.steps=12", "training.checkpoint_every=12"}));
  copy_run("a", "b");
  const auto expect_the_next_epoch = [&](const std::string& run, const std::string& override,
                                         const std::string& batches) {
    const ProgramResult end = resume(run, {"training.steps=30", override});
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_THAT(end.errors, AllOf(HasSubstr(batches + ", were training.batch_tokens 256, "
                                                      "batch_lengths alike"),
                                  HasSubstr("the rest of epoch 1 is skipped")));
  };
  expect_the_next_epoch("a", "training.batch_tokens=2048",
                        "batch_tokens 2048, batch_lengths alike");
  expect_the_next_epoch("b", "training.batch_lengths=mixed",
                        "batch_tokens 256, batch_lengths mixed");
}

TEST_F(Resume, another_metric_finds_its_own_best) {
  train(tiny_training("a"));
  const ProgramResult end = resume("a", {"training.steps=60", "evaluation.metric=token_accuracy"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  // The loss, about 2.4, would never be beaten by a share.
  EXPECT_THAT(end.errors, ContainsRegex("step 60: validation: .*best so far"));
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

class ResumeFromDamaged : public Resume {
 protected:
  void SetUp() override {
    train(tiny_training("a", {"training.average_last=2"}));
    copy_run("a", "unbroken");
    newest = step_checkpoint(here / "a", 40);
    previous = step_checkpoint(here / "a", 30);
  }
  static void flip_a_bit(const fs::path& file) {
    std::string bytes = content_of(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
    std::ofstream(file, std::ios::binary) << bytes;
  }
  void expect_the_previous_one_is_used() {
    const ProgramResult end = resume("a");
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_THAT(end.errors, AllOf(HasSubstr("warning: "), HasSubstr(newest.filename().string()),
                                  HasSubstr("resuming a at step 30")));
    expect_same_runs(here / "unbroken", here / "a");
  }

  fs::path newest;
  fs::path previous;
};

TEST_F(ResumeFromDamaged, a_truncated_checkpoint_gives_way_to_the_previous_one) {
  fs::resize_file(newest, fs::file_size(newest) - 100);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, an_empty_checkpoint_gives_way_to_the_previous_one) {
  fs::resize_file(newest, 0);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, a_flipped_bit_is_seen) {
  flip_a_bit(newest);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, with_none_that_holds_nothing_is_touched) {
  flip_a_bit(newest);
  fs::resize_file(previous, 50);
  const auto expect_advice = [&](const std::string& advice) {
    fs::remove_all(here / "damaged");
    copy_run("a", "damaged");
    const ProgramResult end = resume("a");
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_THAT(end.errors,
                AllOf(HasSubstr(newest.filename().string()),
                      HasSubstr(previous.filename().string()), HasSubstr(advice + "\n")));
    expect_same_runs(here / "damaged", here / "a");
  };
  expect_advice("start another run from its weights: --set model.init_from=a --run DIR");
  for (const char* name : {"best", "average"}) {
    flip_a_bit(here / fmt::format("a/checkpoints/{}.safetensors", name));
  }
  expect_advice("start again with --overwrite");
}

TEST_F(ResumeFromDamaged, what_else_can_be_evaluated_is_named) {
  flip_a_bit(here / "a/checkpoints/average.safetensors");
  const ProgramResult refused = run({"evaluate", "a"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("average.safetensors"),
                                    HasSubstr("; try --checkpoint best or last")));
  EXPECT_EQ(run({"evaluate", "a", "--checkpoint", "best"}).exit_code, 0);
}

TEST_F(Resume, checkpoints_of_another_model_are_refused_and_the_run_stays_as_it_is) {
  train(tiny_training("a"));
  copy_run("a", "before");
  const ProgramResult refused = resume("a", {"model.d_model=32"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("another model (model."), HasSubstr("model.d_model: 16, not 32"),
                    HasSubstr("step_00000040.safetensors"), Not(HasSubstr("--overwrite"))));
  expect_same_file(here / "before/config.yaml", here / "a/config.yaml");
  EXPECT_EQ(resume("a").exit_code, 0);
  expect_same_runs(here / "before", here / "a");
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

TEST_F(Resume, weights_of_another_model_are_no_start) {
  train(tiny_training("first"));
  // As many numbers in the same shapes, but they would mean something else.
  const ProgramResult refused = run(tiny_training("a", {"model.init_from=first", "model.heads=2"}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("cannot start from the weights of first: its model differs ("),
                    HasSubstr("cross.heads: 4, not 2 and 9 more)")));
  EXPECT_THAT(run(tiny_training("a", {"model.init_from=first", "cross.positions=none",
                                      "attention.positions=alibi"}))
                  .errors,
              HasSubstr("differs (decoder_self.positions: none, not alibi; "
                        "encoder_self.positions: none, not alibi)"));
  EXPECT_FALSE(fs::exists(here / "a"));
  train(tiny_training(
      "b", {"model.init_from=first", "model.dropout=0.3", "seed=2", "attention.head_dropout=0.1"}));
}

TEST_F(Resume, without_a_best_the_last_weights_are_a_start) {
  train(tiny_training("first"));
  fs::remove(here / "first/checkpoints/best.safetensors");
  train(tiny_training("a", {"model.init_from=first"}));
  for (const std::string& file : checkpoint_names(here / "first")) {
    fs::remove(here / "first/checkpoints" / file);
  }
  const ProgramResult refused = run(tiny_training("b", {"model.init_from=first"}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("run first has no weights to start from"));
}

TEST_F(Resume, what_is_no_run_cannot_be_resumed) {
  const ProgramResult missing = resume("nowhere");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, AllOf(HasSubstr("no run nowhere"), HasSubstr("without --resume")));
  EXPECT_FALSE(fs::exists(here / "nowhere"));
  fs::create_directory(here / "letters");
  std::ofstream(here / "letters/one.txt") << "dear";
  const ProgramResult other = resume("letters");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors, HasSubstr("not a run"));
}

TEST_F(Resume, a_run_in_use_is_refused_until_its_process_dies) {
  const Arguments endless = tiny_training("a", {"training.steps=100000"});
  Program holder(endless, here.path());
  ASSERT_TRUE(wait_until([&] { return newest_step("a") > 0; }));
  const std::string process = fmt::format("in use by process {}", holder.id());
  const ProgramResult resumed = resume("a");
  EXPECT_EQ(resumed.exit_code, 1);
  EXPECT_THAT(resumed.errors, HasSubstr(process));
  const ProgramResult overwritten = run(tiny_training("a", {}, {"--overwrite"}));
  EXPECT_EQ(overwritten.exit_code, 1);
  EXPECT_THAT(overwritten.errors, HasSubstr(process));
  holder.kill(SIGKILL);
  EXPECT_EQ(holder.wait().exit_code, killed);
  EXPECT_EQ(run(tiny_training("a", {}, {"--overwrite"})).exit_code, 0);
}

}  // namespace
}  // namespace tapehead
