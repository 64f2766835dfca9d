// Settings changed by a resume take effect with a message, or are rejected.
#include "core/version.hpp"
#include "tests/support/tiny_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// The run `a` is finished.
class ResumeChanged : public TinyRuns {
 protected:
  void SetUp() override { train(tiny_training("a")); }
};

TEST_F(ResumeChanged, a_config_file_that_has_changed_is_not_ignored_in_silence) {
  // The message names only d_model, which was set at the start; training.steps is set again.
  EXPECT_THAT(resumed("a", {"training.steps=45"}),
              AllOf(HasSubstr("the run continues with its own config, not with"),
                    HasSubstr("model.d_model: 16, not 64\n"), Not(HasSubstr("training.steps:")),
                    Not(HasSubstr("seed:"))));
  EXPECT_THAT(run("train a/config.yaml --run a --resume").errors, Not(HasSubstr("own config")));
}

// Merges the file's options with those of an earlier and a later --set.
TEST_F(ResumeChanged, what_set_chooses_is_written_and_decides_what_follows) {
  const auto written = [&] { return content_of(here / "a/written.yaml"); };
  EXPECT_THAT(written(), AllOf(ContainsRegex("\n  d_model: 16 +# --set\n"),
                               ContainsRegex("\n  name: copy +# [^ ]*configs/copy.yaml:"),
                               Not(HasSubstr("d_ff"))));
  resumed("a", {"training.steps=45"});
  const std::string before = written();
  EXPECT_THAT(before, ContainsRegex("\n  steps: 45 +# --set\n"));
  resumed();
  EXPECT_EQ(written(), before);
  output("train a/config.yaml --run plain");
  expect_same_file(here / "a/written.yaml", here / "plain/written.yaml");
  output(
      "train a/config.yaml --run b --set model.d_model=32 --set model.dropout=0.3 "
      "--set training.steps=2 --set training.warmup=0");
  EXPECT_THAT(content_of(here / "b/config.yaml"),
              AllOf(HasSubstr("  d_ff: 128\n"), HasSubstr("  dropout_residual: 0.3\n")));
  EXPECT_THAT(content_of(here / "b/written.yaml"), ContainsRegex("\n  layers: 1 +# --set\n"));
}

// Like a run of a version without written.yaml: config.yaml alone decides.
TEST_F(ResumeChanged, a_run_without_what_was_written_goes_on_to_the_same_bits) {
  copy_run("a", "old");
  fs::remove(here / "old/written.yaml");
  EXPECT_THAT(resume("old", {"model.dropout=0.3"}).errors,
              HasSubstr("old/config.yaml:45:22: model.dropout_embedding, "));
  for (const std::string name : {"a", "old"}) {
    resumed(name, {"training.steps=50"});
  }
  expect_same_runs(here / "a", here / "old");
  expect_same_file(here / "a/config.yaml", here / "old/config.yaml");
}

// Stopped between the two files, the run has the former config.yaml; repeating --set repairs it.
TEST_F(ResumeChanged, the_same_set_again_brings_both_files_together) {
  const std::string before = content_of(here / "a/config.yaml");
  resumed("a", {"evaluation.samples=2"});  // not set before
  const std::string after = content_of(here / "a/config.yaml");
  here.write("a/config.yaml", before);
  EXPECT_THAT(refusal(2, resumed_training("a", {"evaluation.every=5"})),
              ContainsRegex("a/written.yaml:[0-9]+:[0-9]+: evaluation.samples: 2, "
                            "but a/config.yaml has 3; "));
  resumed("a", {"evaluation.samples=2"});
  EXPECT_EQ(content_of(here / "a/config.yaml"), after);
}

TEST_F(ResumeChanged, by_other_kernels_is_not_to_the_bit_which_is_said) {
  const std::string warning = "not bit-identical to an uninterrupted run";
  EXPECT_THAT(resumed("a", {"training.steps=45"}), Not(HasSubstr(warning)));
  std::string record = content_of(here / "a/record.json");
  const std::string level = fmt::format("\"level\": \"{}\"", kernel_level());
  const std::size_t last = record.rfind(level);
  ASSERT_NE(last, std::string::npos) << record;
  here.write("a/record.json", record.replace(last, level.size(), "\"level\": \"abacus\""));
  EXPECT_THAT(resumed("a", {"training.steps=50"}),
              AllOf(HasSubstr(warning),
                    HasSubstr(fmt::format("kernels {} (was abacus)\n", kernel_level()))));
}

TEST_F(ResumeChanged, by_the_precision_of_products_is_said_and_recorded) {
  EXPECT_THAT(resumed("a", {"training.steps=45", "training.precision=bfloat16"}),
              HasSubstr("not bit-identical to an uninterrupted run: products in bfloat16 (was "
                        "float32)"));
  std::string record = content_of(here / "a/record.json");
  const std::string unit = "\"unit\": \"";
  const std::size_t at = record.rfind(unit);
  ASSERT_NE(at, std::string::npos) << record;
  here.write("a/record.json", record.insert(at + unit.size(), "abacus_"));
  EXPECT_THAT(resumed("a", {"training.steps=50"}),
              ContainsRegex("an uninterrupted run: products by the kernel ([a-z0-9_]+) [(]was "
                            "abacus_"));
  EXPECT_THAT(resumed("a", {"training.steps=55", "training.precision=float32"}),
              HasSubstr("an uninterrupted run: products in float32 (was bfloat16)\n"));
}

// Like a pruned or imported model, or a run whose other checkpoints were deleted to save space.
TEST_F(ResumeChanged, weights_without_a_training_are_not_replaced) {
  for (const int step : {30, 40}) {
    fs::remove(step_checkpoint(here / "a", step));
  }
  const std::string weights = content_of(here / "a/checkpoints/best.safetensors");
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(refusal(1, resumed_training("a")),
                AllOf(HasSubstr("a has weights, but no checkpoint"),
                      HasSubstr("--set model.init_from=a --run DIR\n")));
    EXPECT_EQ(content_of(here / "a/checkpoints/best.safetensors"), weights);
    fs::remove(here / "a/record.json");  // for the second time
  }
}

// An epoch has about 16 batches.
TEST_F(ResumeChanged, other_batches_begin_with_the_next_epoch) {
  for (const auto& [override, batches] :
       {std::pair("batch_tokens=2048", "batch_tokens 2048, batch_lengths alike"),
        {"batch_lengths=mixed", "batch_tokens 256, batch_lengths mixed"}}) {
    train(
        tiny_training("b", {"training.steps=12", "training.checkpoint_every=12"}, {"--overwrite"}));
    EXPECT_THAT(resumed("b", {"training.steps=30", std::string("training.") + override}),
                AllOf(HasSubstr(std::string(batches) +
                                ", were training.batch_tokens 256, batch_lengths alike"),
                      HasSubstr("the rest of epoch 1 is skipped")));
  }
}

TEST_F(ResumeChanged, another_metric_finds_its_own_best_and_fewer_steps_are_said) {
  // A token accuracy could never beat the loss of about 2.4.
  EXPECT_THAT(resumed("a", {"training.steps=60", "evaluation.metric=token_accuracy"}),
              ContainsRegex("step 60: validation: .*best so far"));
  EXPECT_THAT(resumed("a", {"training.steps=7"}),
              HasSubstr("the run is past training.steps 7 already\n"));
}

TEST_F(ResumeChanged, what_decided_how_it_began_is_refused_and_the_run_stays_as_it_is) {
  copy_run("a", "before");
  const std::string again = "model.init_from=a --run DIR\n";
  const std::string changed = "--set has changed the model or its data (";
  const std::string leave = "): leave out that --set, or start another run";
  struct Change {
    std::string override;
    int exit_code;
    std::vector<std::string> says;
  };
  for (const auto& [override, exit_code, says] :
       std::vector<Change>{{"training.optimizer=sgd", 2, {"(training.optimizer: ", again}},
                           {"training.freeze=[encoder.*]", 2, {"(training.freeze: ", again}},
                           {"model.initializer=normal", 2, {"(model.initializer: ", again}},
                           {"model.init_from=b", 2, {"(model.init_from: ", again}},
                           {"decoder_self.start=identical", 2, {"(decoder_self.start: ", again}},
                           {"model.d_model=32",
                            1,
                            {"another model (model.", "step_00000040.safetensors",
                             changed + "model.d_model: 16, not 32; ", "): leave out that"}},
                           {"task.max_length=9",
                            1,
                            {"other data or other options of the task",
                             changed + "task.max_length: 10, not 9" + leave}},
                           {"seed=2", 1, {changed + "seed: 1, not 2" + leave}}}) {
    const Arguments overrides{"training.steps=50", override};
    expect_refusals({{resumed_training("a", overrides), exit_code, says}});
    expect_same_runs(here / "before", here / "a");
    expect_same_file(here / "before/config.yaml", here / "a/config.yaml");
    if (exit_code == 1) {
      EXPECT_THAT(resume("a", overrides).errors,
                  AllOf(Not(HasSubstr("--overwrite")), Not(HasSubstr("--data"))));
    }
  }
  resumed();
  expect_same_runs(here / "before", here / "a");
  resumed("a", {"training.steps=50", "training.freeze=[]"});
}

TEST_F(ResumeChanged, a_config_that_was_edited_is_to_be_restored) {
  std::string config = content_of(here / "a/config.yaml");
  here.write("a/config.yaml", config.replace(config.find("d_model: 16"), 11, "d_model: 32"));
  EXPECT_THAT(resume("a").errors,
              AllOf(HasSubstr("model.d_model: 16, not 32"),
                    HasSubstr("so restore the config that they belong to, or")));
}

TEST_F(ResumeChanged, what_is_no_run_cannot_be_resumed) {
  expect_refusals({{resumed_training("nowhere"), 1, {"no run nowhere", "without --resume"}}});
  EXPECT_FALSE(fs::exists(here / "nowhere"));
}

}}  // namespace tapehead
