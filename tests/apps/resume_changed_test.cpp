// Settings changed by a resume take effect with a message, or are rejected.
#include "core/version.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ResumeChanged : public TinyRuns {};

TEST_F(ResumeChanged, a_config_file_that_has_changed_is_not_ignored_in_silence) {
  train(tiny_training("a"));
  // The message names only d_model, which was set at the start; training.steps is set again.
  const ProgramResult end = resume("a", {"training.steps=45"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, AllOf(HasSubstr("the run continues with its own config, not with"),
                                HasSubstr("model.d_model: 16, not 64\n"),
                                Not(HasSubstr("training.steps:")), Not(HasSubstr("seed:"))));
  const Arguments own{"train", (here / "a/config.yaml").string(), "--run", "a", "--resume"};
  EXPECT_THAT(run(own).errors, Not(HasSubstr("own config")));
}

// Merges the file's options with those of an earlier and a later --set.
TEST_F(ResumeChanged, what_set_chooses_is_written_and_decides_what_follows) {
  train(tiny_training("a"));
  const auto written = [&] { return content_of(here / "a/written.yaml"); };
  EXPECT_THAT(written(), ContainsRegex("\n  d_model: 16 +# --set\n"));
  EXPECT_THAT(written(), ContainsRegex("\n  name: copy +# [^ ]*configs/copy.yaml:"));
  EXPECT_THAT(written(), Not(HasSubstr("d_ff")));
  EXPECT_EQ(resume("a", {"training.steps=45"}).exit_code, 0);
  EXPECT_THAT(written(), ContainsRegex("\n  steps: 45 +# --set\n"));
  const std::string before = written();
  EXPECT_EQ(resume("a").exit_code, 0);
  EXPECT_EQ(written(), before);
  EXPECT_EQ(run({"train", "a/config.yaml", "--run", "plain"}).exit_code, 0);
  expect_same_file(here / "a/written.yaml", here / "plain/written.yaml");
  train({"train", "a/config.yaml", "--run", "b", "--set", "model.d_model=32", "--set",
         "model.dropout=0.3", "--set", "training.steps=2", "--set", "training.warmup=0"});
  EXPECT_THAT(content_of(here / "b/config.yaml"),
              AllOf(HasSubstr("  d_ff: 128\n"), HasSubstr("  dropout_residual: 0.3\n")));
  EXPECT_THAT(content_of(here / "b/written.yaml"), ContainsRegex("\n  layers: 1 +# --set\n"));
}

// Like a run of a version without written.yaml: config.yaml alone decides.
TEST_F(ResumeChanged, a_run_without_what_was_written_goes_on_to_the_same_bits) {
  train(tiny_training("a"));
  copy_run("a", "old");
  fs::remove(here / "old/written.yaml");
  EXPECT_THAT(resume("old", {"model.dropout=0.3"}).errors,
              HasSubstr("old/config.yaml:45:22: model.dropout_embedding, "));
  for (const std::string name : {"a", "old"}) {
    EXPECT_EQ(resume(name, {"training.steps=50"}).exit_code, 0);
  }
  expect_same_runs(here / "a", here / "old");
  expect_same_file(here / "a/config.yaml", here / "old/config.yaml");
}

// Stopped between the two files, the run has the former config.yaml; repeating --set repairs it.
TEST_F(ResumeChanged, the_same_set_again_brings_both_files_together) {
  train(tiny_training("a"));
  const std::string before = content_of(here / "a/config.yaml");
  EXPECT_EQ(resume("a", {"evaluation.samples=2"}).exit_code, 0);  // not set before
  const std::string after = content_of(here / "a/config.yaml");
  std::ofstream(here / "a/config.yaml") << before;
  const ProgramResult refused = resume("a", {"evaluation.every=5"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, ContainsRegex("a/written.yaml:[0-9]+:[0-9]+: evaluation.samples: 2, "
                                            "but a/config.yaml has 3; "));
  EXPECT_EQ(resume("a", {"evaluation.samples=2"}).exit_code, 0);
  EXPECT_EQ(content_of(here / "a/config.yaml"), after);
}

TEST_F(ResumeChanged, by_other_kernels_is_not_to_the_bit_which_is_said) {
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

TEST_F(ResumeChanged, what_decided_how_it_began_is_kept_or_refused) {
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

TEST_F(ResumeChanged, fewer_steps_than_there_are_already_are_said_to_be) {
  train(tiny_training("a"));
  const ProgramResult end = resume("a", {"training.steps=7"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("the run is past training.steps 7 already\n"));
}

// Like a pruned or imported model, or a run whose other checkpoints were deleted to save space.
TEST_F(ResumeChanged, weights_without_a_training_are_not_replaced) {
  train(tiny_training("a"));
  for (const int step : {30, 40}) {
    fs::remove(step_checkpoint(here / "a", step));
  }
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

// An epoch has about 16 batches.
TEST_F(ResumeChanged, other_batches_begin_with_the_next_epoch) {
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

TEST_F(ResumeChanged, another_metric_finds_its_own_best) {
  train(tiny_training("a"));
  const ProgramResult end = resume("a", {"training.steps=60", "evaluation.metric=token_accuracy"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  // A token accuracy could never beat the loss of about 2.4.
  EXPECT_THAT(end.errors, ContainsRegex("step 60: validation: .*best so far"));
}

TEST_F(ResumeChanged, checkpoints_of_another_model_are_refused_and_the_run_stays_as_it_is) {
  train(tiny_training("a"));
  copy_run("a", "before");
  const ProgramResult refused = resume("a", {"model.d_model=32"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(
      refused.errors,
      AllOf(HasSubstr("another model (model."), HasSubstr("model.d_model: 16, not 32"),
            HasSubstr("step_00000040.safetensors"),
            HasSubstr("--set has changed the model or its data (model.d_model: 16, not 32; "),
            HasSubstr("): leave that out, or"), Not(HasSubstr("--overwrite")),
            Not(HasSubstr("--data"))));
  expect_same_file(here / "before/config.yaml", here / "a/config.yaml");
  EXPECT_EQ(resume("a").exit_code, 0);
  expect_same_runs(here / "before", here / "a");
}

TEST_F(ResumeChanged, what_set_has_changed_about_the_task_is_named) {
  train(tiny_training("a"));
  const ProgramResult refused = resume("a", {"task.max_length=9", "training.steps=50"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(
      refused.errors,
      AllOf(HasSubstr("other data or other options of the task"),
            HasSubstr("--set has changed the model or its data (task.max_length: 10, not 9): leave "
                      "that out, or start another run"),
            Not(HasSubstr("--data"))));
  EXPECT_THAT(
      resume("a", {"seed=2"}).errors,
      HasSubstr("--set has changed the model or its data (seed: 1, not 2): leave that out"));
}

TEST_F(ResumeChanged, a_config_that_was_edited_is_to_be_restored) {
  train(tiny_training("a"));
  std::string config = content_of(here / "a/config.yaml");
  config.replace(config.find("d_model: 16"), 11, "d_model: 32");
  std::ofstream(here / "a/config.yaml") << config;
  EXPECT_THAT(resume("a").errors,
              AllOf(HasSubstr("model.d_model: 16, not 32"),
                    HasSubstr("so restore the config that they belong to, or")));
}

TEST_F(ResumeChanged, what_is_no_run_cannot_be_resumed) {
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

}}  // namespace tapehead
