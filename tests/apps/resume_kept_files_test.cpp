// Files that a resume makes stale are removed or rewritten, so no command reads a former state of
// the run.
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ResumeKeptFiles : public ProgramRuns {
 protected:
  // 40 steps, with a checkpoint every 10 steps and an evaluation every 20.
  void train(const Arguments& overrides) { here.output(tiny_training("a", overrides)); }
  ProgramResult resume(const Arguments& overrides, const Arguments& options = {}) {
    ProgramResult result = here.run(resumed_training("a", overrides, options));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  fs::path checkpoint(const std::string& name) const {
    return here / "a/checkpoints" / (name + ".safetensors");
  }
  std::string fact(const std::string& name, const std::string& key) const {
    return TensorFile(checkpoint(name)).metadata(key);
  }
  // The bytes of a checkpoint's output weights.
  std::string output_weights(const std::string& name) const {
    const TensorFile file(checkpoint(name));
    const auto bytes = file.bytes("output.weight");
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

TEST_F(ResumeKeptFiles, without_an_average_the_old_one_is_neither_tested_nor_there) {
  train({"training.average_last=2"});
  ASSERT_TRUE(fs::exists(checkpoint("average")));
  const ProgramResult end = resume({"training.average_last=0", "training.steps=60"});
  EXPECT_THAT(end.errors, HasSubstr("best.safetensors of a:"));
  EXPECT_THAT(end.errors, Not(HasSubstr("average.safetensors of a:")));
  EXPECT_THAT(checkpoint_names(here / "a"),
              AllOf(Not(Contains(StartsWith("weights_"))), Not(Contains("average.safetensors"))));
  const ProgramResult evaluated = here.run({"evaluate", "a", "--json"});
  const ProgramResult best = here.run({"evaluate", "a", "--json", "--checkpoint", "best"});
  const auto figures = [](const ProgramResult& result) {
    return result.output.substr(0, result.output.find("\"seconds\""));
  };
  EXPECT_EQ(figures(evaluated), figures(best));
}

TEST_F(ResumeKeptFiles, without_further_steps_too) {
  train({"training.average_last=2"});
  EXPECT_THAT(resume({"training.average_last=0"}).errors, HasSubstr("best.safetensors of a:"));
  EXPECT_FALSE(fs::exists(checkpoint("average")));
}

TEST_F(ResumeKeptFiles, the_average_is_of_as_many_as_it_is_to_be) {
  train({"training.average_last=3"});
  ASSERT_EQ(fact("average", "averaged"), "3");
  resume({"training.average_last=1"});
  EXPECT_EQ(fact("average", "averaged"), "1");
  EXPECT_EQ(output_weights("average"), output_weights("weights_00000040"));
}

TEST_F(ResumeKeptFiles, an_average_of_a_later_step_is_made_anew) {
  train({"training.average_last=2"});
  const std::string steps_30_and_40 = output_weights("average");
  fs::remove(step_checkpoint(here / "a", 40));
  const ProgramResult end = resume({"training.steps=30"});  // that checkpoint exists already
  EXPECT_THAT(
      end.errors,
      HasSubstr("weights_00000040.safetensors is of step 40, but the run continues from step 30"));
  EXPECT_EQ(fact("average", "step"), "30");
  EXPECT_NE(output_weights("average"), steps_30_and_40);
  EXPECT_EQ(output_weights("average"), output_weights("weights_00000030"));
}

TEST_F(ResumeKeptFiles, a_best_of_a_later_step_goes) {
  train({"training.average_last=0"});
  ASSERT_EQ(fact("best", "step"), "40");
  fs::remove(step_checkpoint(here / "a", 40));
  resume({"training.steps=35", "training.learning_rate=0"});
  // Whatever the next evaluation gives: the resumed run has had no better one.
  EXPECT_EQ(fact("best", "step"), "35");
}

TEST_F(ResumeKeptFiles, a_best_of_the_step_resumed_from_is_made_anew) {
  train({"training.checkpoint_every=20", "evaluation.metric=loss"});
  fs::remove(step_checkpoint(here / "a", 40));
  const ProgramResult end = resume({"training.learning_rate=100"});  // makes the model worse
  EXPECT_THAT(end.errors, HasSubstr("the weights of step 20 are the best so far"));
  EXPECT_EQ(fact("best", "step"), "20");
  EXPECT_EQ(output_weights("best"), output_weights("step_00000020"));
}

// Only the checkpoint of step 30 is left, but evaluations are at steps 20 and 40.
TEST_F(ResumeKeptFiles, without_the_best_a_worse_one_is_called_the_best_since_a_resume) {
  train({"evaluation.metric=loss"});
  fs::remove(step_checkpoint(here / "a", 40));
  const ProgramResult end = resume({"training.learning_rate=100"});
  EXPECT_EQ(fact("best", "step"), "40");
  EXPECT_THAT(end.errors, AllOf(HasSubstr("(best since a resume; the best loss before it was "),
                                Not(HasSubstr("by the loss alone"))));
}

TEST_F(ResumeKeptFiles, all_checkpoints_stay_if_their_interval_changes) {
  train({"training.checkpoint_keep=all"});
  resume({"training.checkpoint_every=25", "training.steps=60"});
  for (const int step : {10, 20, 30, 40, 50, 60}) {
    EXPECT_TRUE(fs::exists(step_checkpoint(here / "a", step))) << step;
  }
}

TEST_F(ResumeKeptFiles, the_average_is_of_the_last_ones_of_another_interval_too) {
  train({"training.average_last=3"});
  resume({"training.checkpoint_every=25", "training.steps=50"});
  EXPECT_EQ(fact("average", "averaged"), "3");
  EXPECT_TRUE(fs::exists(checkpoint("weights_00000030")));
}

// Like a training that was killed in its last save before it removed older checkpoints.
TEST_F(ResumeKeptFiles, what_an_interrupted_save_left_over_goes) {
  train({"training.average_last=1"});
  const auto names = checkpoint_names(here / "a");
  fs::copy_file(checkpoint("step_00000030"), checkpoint("step_00000020"));
  fs::copy_file(checkpoint("weights_00000040"), checkpoint("weights_00000030"));
  resume({});
  EXPECT_EQ(checkpoint_names(here / "a"), names);
}

TEST_F(ResumeKeptFiles, a_best_that_is_missing_is_told) {
  train({"evaluation.metric=loss"});
  fs::remove(checkpoint("best"));
  fs::remove(step_checkpoint(here / "a", 40));
  EXPECT_THAT(resume({}).errors, HasSubstr("warning: a/checkpoints/best.safetensors is missing; "));
}

TEST_F(ResumeKeptFiles, time_goes_on_where_the_steps_ended) {
  train({});
  fs::remove(here / "a/checkpoints/elapsed.json");
  std::ofstream(here / "a/times.jsonl", std::ios::app)
      << R"({"step": 40, "seconds": 1000})" << '\n';
  resume({"training.steps=41"});
  EXPECT_GE(read_elapsed_seconds(here / "a/checkpoints"), 1000);
}

TEST_F(ResumeKeptFiles, a_best_by_another_metric_goes) {
  train({"evaluation.metric=token_accuracy"});
  ASSERT_TRUE(fs::exists(checkpoint("best")));
  const ProgramResult end = resume({"evaluation.metric=loss"});
  EXPECT_THAT(end.errors, AllOf(HasSubstr("by loss, not by token_accuracy"),
                                HasSubstr("step_00000040.safetensors of a:")));
  EXPECT_FALSE(fs::exists(checkpoint("best")));
  resume({"training.steps=50"});
  EXPECT_EQ(fact("best", "step"), "50");
}

// BLEU of ten outputs and BLEU of all outputs are not comparable.
TEST_F(ResumeKeptFiles, a_best_by_the_same_metric_otherwise_taken_goes) {
  train({"evaluation.metric=bleu"});
  resume({"evaluation.decode_examples=10"});
  EXPECT_FALSE(fs::exists(checkpoint("best")));
}

TEST_F(ResumeKeptFiles, a_best_and_weights_that_do_not_hold_go) {
  train({"training.average_last=2"});
  fs::resize_file(checkpoint("best"), 100);
  fs::copy_file(checkpoint("weights_00000030"), checkpoint("weights_00000040"),
                fs::copy_options::overwrite_existing);
  std::ofstream(checkpoint("weights_00000030")) << "x";
  const ProgramResult end = resume({"training.steps=60"});
  EXPECT_THAT(end.errors, AllOf(HasSubstr("best.safetensors: it is truncated"),
                                HasSubstr("weights_00000030.safetensors: it is truncated")));
  EXPECT_EQ(fact("best", "step"), "60");
  EXPECT_EQ(fact("average", "averaged"), "2");
}

TEST_F(ResumeKeptFiles, page_scores_and_replay_go_with_the_first_new_step) {
  train({});
  for (const char* name : {"report.html", "scores.jsonl", "replay.safetensors"}) {
    std::ofstream(here / "a" / name) << "of 40 steps";
  }
  resume({});
  EXPECT_TRUE(fs::exists(here / "a/report.html")) << "nothing has changed";
  resume({"training.steps=41"});
  for (const char* name : {"report.html", "scores.jsonl", "replay.safetensors"}) {
    EXPECT_FALSE(fs::exists(here / "a" / name)) << name;
  }
}

TEST_F(ResumeKeptFiles, pages_go_with_other_options_too) {
  train({});
  std::ofstream(here / "a/scores.jsonl") << "of a beam of 1";
  resume({"evaluation.beam=4"});
  EXPECT_FALSE(fs::exists(here / "a/scores.jsonl"));
}

}}  // namespace tapehead
