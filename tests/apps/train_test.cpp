// tapehead train: the files of a run, their reproducibility, and protection against loss.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Train : public ProgramRuns {
 protected:
  void train(const Arguments& arguments) { output(arguments); }
};

TEST_F(Train, leaves_a_run) {
  const ProgramResult result = run(tiny_training("a"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(content_of(here / "a/config.yaml"), HasSubstr("d_model: 16"));
  EXPECT_EQ(checkpoint_names(here / "a"),
            (std::set<std::string>{"best.safetensors", "step_00000030.safetensors",
                                   "step_00000040.safetensors"}));
  EXPECT_TRUE(std::filesystem::exists(here / "a/checkpoints/elapsed.json"));
  // Progress, tables and samples go to standard error and the log.
  EXPECT_THAT(result.output, IsEmpty());
  for (const std::string& text : {result.errors, content_of(here / "a/log.txt")}) {
    EXPECT_THAT(text, AllOf(HasSubstr("parameters"), HasSubstr("step 40"), HasSubstr("BLEU"),
                            HasSubstr("tapehead translate a")));
  }
}

TEST_F(Train, the_config_may_stand_anywhere_among_the_options) {
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  EXPECT_EQ(run({"config", config, "--set=training.steps=600"}).output,
            output({"config", "--set", "training.steps=600", config}));
  EXPECT_THAT(run({"config", config, "--set", "training.steps=7", "training.warmup=1"}).errors,
              HasSubstr("training.warmup=1"));
}

TEST_F(Train, a_warmup_longer_than_its_epochs_is_refused_before_anything_is_made) {
  EXPECT_THAT(refusal(2, tiny_training("a", {"training.steps=auto", "training.epochs=1",
                                             "training.warmup=100000"})),
              HasSubstr("training.warmup: the warmup must end before the run does "
                        "(warmup 100000; the run has "));
  EXPECT_FALSE(std::filesystem::exists(here / "a"));
}

TEST_F(Train, sentences_without_positions_are_refused_before_anything_is_made) {
  EXPECT_THAT(refusal(1, {"train", TAPEHEAD_SOURCE_DIR "/configs/grammar.yaml", "--set",
                          "model.max_positions=6"}),
              HasSubstr("set model.max_positions to "));
  EXPECT_TRUE(std::filesystem::is_empty(here.path()));
}

TEST_F(Train, metrics_are_one_object_a_line) {
  train(tiny_training("a"));
  std::istringstream lines(content_of(here / "a/metrics.jsonl"));
  int steps = 0;
  int evaluations = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line);
    const bool evaluation = object.contains("split");
    evaluations += evaluation ? 1 : 0;
    steps += evaluation ? 0 : 1;
    EXPECT_EQ(object["step"], evaluation ? 20 * evaluations : steps);
    EXPECT_GT(object["loss"], 0);
  }
  EXPECT_EQ(steps, 40);
  EXPECT_EQ(evaluations, 2);
}

TEST_F(Train, the_same_seed_gives_the_same_bits_at_any_thread_count) {
  const Arguments average{"training.average_last=2", "training.accumulate=2"};
  train(tiny_training("one", average, {"--threads", "1"}));
  train(tiny_training("again", average, {"--threads", "1"}));
  train(tiny_training("three", average, {"--threads", "3"}));
  EXPECT_TRUE(checkpoint_names(here / "one").contains("average.safetensors"));
  expect_same_runs(here / "one", here / "again");
  expect_same_runs(here / "one", here / "three");
}

TEST_F(Train, another_seed_gives_another_run) {
  train(tiny_training("one"));
  train(tiny_training("other", {"seed=2"}));
  EXPECT_NE(content_of(here / "one/metrics.jsonl"), content_of(here / "other/metrics.jsonl"));
}

TEST_F(Train, batches_of_mixed_lengths_make_another_run) {
  train(tiny_training("alike"));
  train(tiny_training("mixed", {"training.batch_lengths=mixed"}));
  EXPECT_NE(content_of(here / "alike/metrics.jsonl"), content_of(here / "mixed/metrics.jsonl"));
}

TEST_F(Train, the_run_is_named_after_the_config) {
  Arguments arguments = tiny_training("unused", {"training.steps=6"});
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
  train(arguments);
  EXPECT_TRUE(std::filesystem::exists(here / "runs/copy/config.yaml"));
}

TEST_F(Train, an_earlier_run_is_refused_with_the_choices) {
  train(tiny_training("a"));
  std::filesystem::copy(here / "a", here / "before", std::filesystem::copy_options::recursive);
  EXPECT_THAT(refusal(1, tiny_training("a", {"seed=2"})),
              AllOf(HasSubstr("--resume"), HasSubstr("--overwrite"), HasSubstr("--run")));
  expect_same_runs(here / "before", here / "a");
}

TEST_F(Train, an_earlier_run_is_overwritten_when_asked) {
  train(tiny_training("a", {"training.average_last=2", "training.steps=60"}));
  train(tiny_training("a", {"seed=2"}, {"--overwrite"}));
  train(tiny_training("fresh", {"seed=2"}));
  expect_same_runs(here / "fresh", here / "a");
}

TEST_F(Train, a_directory_that_is_no_run_is_not_overwritten) {
  std::filesystem::create_directory(here / "a");
  std::ofstream(here / "a/letter.txt") << "dear";
  EXPECT_THAT(refusal(1, tiny_training("a", {}, {"--overwrite"})), HasSubstr("not a run"));
  EXPECT_EQ(content_of(here / "a/letter.txt"), "dear");
}

TEST_F(Train, starts_from_the_weights_of_another_run) {
  train(tiny_training("first"));
  train(tiny_training("second",
                      {"model.init_from=first", "training.learning_rate=0", "training.steps=2",
                       "training.warmup=0", "seed=7", "training.schedule=constant"}));
  const auto loss = [&](const std::string& run_name) {
    const ProgramResult result = run({"evaluate", run_name, "--json"});
    return nlohmann::json::parse(result.output)["loss"].get<double>();
  };
  const double untrained = 2.6;  // log(14), for 11 symbols and 3 marks
  EXPECT_LT(loss("second"), untrained);
  EXPECT_EQ(nlohmann::json::parse(run({"evaluate", "first", "--json"}).output).contains("bleu"),
            true);
}

TEST_F(Train, weights_that_are_not_there_cost_no_earlier_run) {
  train(tiny_training("a"));
  std::filesystem::copy(here / "a", here / "before", std::filesystem::copy_options::recursive);
  EXPECT_THAT(refusal(1, tiny_training("a", {"model.init_from=nowhere"}, {"--overwrite"})),
              HasSubstr("nowhere"));
  expect_same_runs(here / "before", here / "a");
  EXPECT_THAT(refusal(1, tiny_training("b", {"model.init_from=nowhere"})),
              HasSubstr("model.init_from: there is no run nowhere"));
  EXPECT_FALSE(std::filesystem::exists(here / "b"));
}

TEST_F(Train, stops_when_patience_ends_and_says_so) {
  const ProgramResult result = run(tiny_training(
      "a", {"evaluation.metric=loss", "training.learning_rate=0", "training.schedule=constant",
            "training.patience=1", "evaluation.every=10"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  // Nothing is learnt, so the second evaluation is no better than the first.
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("training.patience: 1 ends the training: the best loss is "),
                    HasSubstr(", of evaluation 1 of 2\n")));
  EXPECT_TRUE(std::filesystem::exists(step_checkpoint(here / "a", 20)));
  EXPECT_FALSE(std::filesystem::exists(step_checkpoint(here / "a", 30)));
}

// The last step ends the training at the same time.
TEST_F(Train, does_not_name_patience_where_the_steps_end_with_it) {
  const ProgramResult result = run(tiny_training(
      "a", {"evaluation.metric=loss", "training.learning_rate=0", "training.schedule=constant",
            "training.patience=1", "evaluation.every=10", "training.steps=20"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("evaluations without a better loss: 1 of 1"),
                                   Not(HasSubstr("ends the training"))));
}

// After three steps every sequence is still wrong, but the loss falls.
TEST_F(Train, stops_when_the_metric_gains_nothing_though_the_loss_does) {
  const ProgramResult result =
      run(tiny_training("a", {"evaluation.metric=sequence_accuracy", "training.patience=2",
                              "evaluation.every=1", "task.min_length=9", "task.max_length=10"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(
      result.errors,
      AllOf(HasSubstr("(best so far)"),
            HasSubstr("(best so far by the loss alone, sequence accuracy is as before; evaluations "
                      "without a better sequence accuracy: 2 of 2)"),
            HasSubstr("the best sequence accuracy is 0.00 %, of evaluation 1 of 3")));
}

TEST_F(Train, ends_with_the_validation_where_there_is_no_test) {
  std::ofstream text(here / "text");
  for (int i = 0; i < 60; ++i) {
    text << "ab  cd ef \n";
  }
  text.close();
  std::ofstream(here / "text.yaml")
      << "task: {name: parallel_text, tokenizer: word, train_source: text, train_target: text,\n"
         "  validation_source: text, validation_target: text}\n"
         "model: {d_model: 16, heads: 2, layers: 1}\ntraining: {steps: 60, learning_rate: 0.01}\n"
         "evaluation: {every: 60}\nrun: {report: false}\n";
  const ProgramResult result = run({"train", "text.yaml", "--run", "a"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string end = result.errors.substr(result.errors.find("trained 60 steps"));
  EXPECT_THAT(
      end,
      AllOf(HasSubstr("best.safetensors of a:\n  split "), HasSubstr("\n  validation        60 "),
            // Spaces that no token represents do not make a sequence wrong.
            HasSubstr("      100.00 %         100.00 %  "), HasSubstr("\n  BLEU nrefs:1"),
            HasSubstr("evaluate a --split validation")));
  const auto record = nlohmann::json::parse(content_of(here / "a/record.json"));
  EXPECT_EQ(record["end"]["tests"]["validation"]["examples"], 60);
}

}}  // namespace tapehead
