// tapehead train: the files of a run, their reproducibility, protection against loss, and the
// replay of a step that diverges.
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Train : public ProgramRuns {
 protected:
  void copy_run(const std::string& from, const std::string& to) {
    fs::copy(here / from, here / to, fs::copy_options::recursive);
  }
};

TEST_F(Train, leaves_a_run) {
  const ProgramResult trained = run(tiny_training("a"));
  ASSERT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_THAT(content_of(here / "a/config.yaml"), HasSubstr("d_model: 16"));
  EXPECT_THAT(
      checkpoint_names(here / "a"),
      ElementsAre("best.safetensors", "step_00000030.safetensors", "step_00000040.safetensors"));
  EXPECT_TRUE(fs::exists(here / "a/checkpoints/elapsed.json"));
  // Progress, tables and samples go to standard error and the log.
  EXPECT_THAT(trained.output, IsEmpty());
  for (const std::string& text : {trained.errors, content_of(here / "a/log.txt")}) {
    EXPECT_THAT(text, AllOf(HasSubstr("parameters"), HasSubstr("step 40"), HasSubstr("BLEU"),
                            HasSubstr("tapehead translate a")));
  }
  // The metrics are one object a line.
  int steps = 0;
  int evaluations = 0;
  for (const std::string& line : lines_of(content_of(here / "a/metrics.jsonl"))) {
    const auto object = nlohmann::json::parse(line);
    const bool evaluation = object.contains("split");
    evaluations += evaluation ? 1 : 0;
    steps += evaluation ? 0 : 1;
    EXPECT_EQ(object["step"], evaluation ? 20 * evaluations : steps);
    EXPECT_GT(object["loss"], 0);
  }
  EXPECT_EQ(steps, 40);
  EXPECT_EQ(evaluations, 2);
  // Another run is refused, and leaves this one as it is.
  copy_run("a", "before");
  EXPECT_THAT(refusal(1, tiny_training("a", {"seed=2"})),
              AllOf(HasSubstr("--resume"), HasSubstr("--overwrite"), HasSubstr("--run")));
  EXPECT_THAT(refusal(1, tiny_training("a", {"model.init_from=nowhere"}, {"--overwrite"})),
              HasSubstr("nowhere"));
  expect_same_runs(here / "before", here / "a");
}

TEST_F(Train, what_cannot_be_trained_is_refused_before_anything_is_made) {
  expect_refusals(
      {{tiny_training("a", {"training.steps=auto", "training.epochs=1", "training.warmup=100000"}),
        2,
        {"training.warmup: the warmup must end before the run does (warmup 100000; the run has "}},
       {tiny_training("a", {"model.init_from=nowhere"}),
        1,
        {"model.init_from: there is no run nowhere"}},
       {{"train", TAPEHEAD_SOURCE_DIR "/configs/grammar.yaml", "--set", "model.max_positions=6"},
        1,
        {"set model.max_positions to "}}});
  EXPECT_TRUE(fs::is_empty(here.path()));
  // The config may stand anywhere among the options.
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  EXPECT_EQ(output({"config", config, "--set=training.steps=600"}),
            output({"config", "--set", "training.steps=600", config}));
  EXPECT_THAT(complaint({"config", config, "--set", "training.steps=7", "training.warmup=1"}),
              HasSubstr("training.warmup=1"));
}

TEST_F(Train, another_seed_or_batches_of_mixed_lengths_make_another_run) {
  std::set<std::string> metrics;
  for (const std::string override : {"seed=1", "seed=2", "training.batch_lengths=mixed"}) {
    output(tiny_training("a", {override}, {"--overwrite"}));
    metrics.insert(content_of(here / "a/metrics.jsonl"));
  }
  EXPECT_THAT(metrics, SizeIs(3));
  // Without --run, the run is named after the config.
  Arguments arguments = tiny_training("unused", {"training.steps=6"});
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
  output(arguments);
  EXPECT_TRUE(fs::exists(here / "runs/copy/config.yaml"));
}

TEST_F(Train, an_earlier_run_is_overwritten_when_asked) {
  output(tiny_training("a", {"training.average_last=2", "training.steps=60"}));
  output(tiny_training("a", {"seed=2"}, {"--overwrite"}));
  output(tiny_training("fresh", {"seed=2"}));
  expect_same_runs(here / "fresh", here / "a");
}

TEST_F(Train, starts_from_the_weights_of_another_run) {
  output(tiny_training("first"));
  output(tiny_training("second",
                       {"model.init_from=first", "training.learning_rate=0", "training.steps=2",
                        "training.warmup=0", "seed=7", "training.schedule=constant"}));
  const double untrained = 2.6;  // log(14), for 11 symbols and 3 marks
  EXPECT_LT(json_of("evaluate second --json")["loss"], untrained);
  EXPECT_TRUE(json_of("evaluate first --json").contains("bleu"));
}

TEST_F(Train, stops_when_patience_ends_and_says_so) {
  const Arguments impatient{"evaluation.metric=loss", "training.learning_rate=0",
                            "training.schedule=constant", "training.patience=1",
                            "evaluation.every=10"};
  // Nothing is learnt, so the second evaluation is no better than the first.
  EXPECT_THAT(messages(tiny_training("a", impatient)),
              AllOf(HasSubstr("training.patience: 1 ends the training: the best loss is "),
                    HasSubstr(", of evaluation 1 of 2\n")));
  EXPECT_TRUE(fs::exists(step_checkpoint(here / "a", 20)));
  EXPECT_FALSE(fs::exists(step_checkpoint(here / "a", 30)));
  // The last step ends the training at the same time.
  EXPECT_THAT(messages(tiny_training("b", impatient + Arguments{"training.steps=20"})),
              AllOf(HasSubstr("evaluations without a better loss: 1 of 1"),
                    Not(HasSubstr("ends the training"))));
  // After three steps every sequence is still wrong, but the loss falls.
  EXPECT_THAT(
      messages(
          tiny_training("c", {"evaluation.metric=sequence_accuracy", "training.patience=2",
                              "evaluation.every=1", "task.min_length=9", "task.max_length=10"})),
      AllOf(
          HasSubstr("(best so far)"),
          HasSubstr("(best so far by the loss alone, with the same sequence accuracy; evaluations "
                    "without a better sequence accuracy: 2 of 2)"),
          HasSubstr("the best sequence accuracy is 0.00 %, of evaluation 1 of 3")));
}

TEST_F(Train, ends_with_the_validation_where_there_is_no_test) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += "ab  cd ef \n";
  }
  here.write("text", text);
  here.write(
      "text.yaml",
      "task: {name: parallel_text, tokenizer: word, train_source: text, train_target: text,\n"
      "  validation_source: text, validation_target: text}\n"
      "model: {d_model: 16, heads: 2, layers: 1}\n"
      "training: {steps: 60, learning_rate: 0.01}\n"
      "evaluation: {every: 60}\nrun: {report: false}\n");
  const std::string end = messages({"train", "text.yaml", "--run", "my run"});
  EXPECT_THAT(end.substr(end.find("trained 60 steps")),
              AllOf(HasSubstr("best.safetensors of my run:\n  split "),
                    HasSubstr("\n  validation        60 "),
                    // Spaces that no token represents do not make a sequence wrong.
                    HasSubstr("      100.00 %         100.00 %  "), HasSubstr("\n  BLEU nrefs:1"),
                    HasSubstr("evaluate 'my run' --split validation\n")));
  const auto record = nlohmann::json::parse(content_of(here / "my run/record.json"));
  EXPECT_EQ(record["end"]["tests"]["validation"]["examples"], 60);
  output({"evaluate", "my run", "--split", "validation"});
}

// Training and replay must give the same report, which names an op and a layer.
TEST(Anomaly, stops_a_training_and_is_replayed) {
  for (const std::string family : {"encoder_decoder", "decoder"}) {  // pairs and running text
    for (const std::string looked : {"true", "false"}) {
      SCOPED_TRACE(family + ", run.anomaly=" + looked);
      const ProgramDirectory here;
      const bool text = family == "decoder";
      Arguments training = text ? text_training(here, "a", {"attention.kv_heads=1"})
                                : Arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml",
                                            "--run", "a",
                                            "--set", "task.train_examples=400"};
      set_options(training, {"training.optimizer=sgd", "training.learning_rate=1000",
                             "model.norm_position=post", "training.clip_norm=0",
                             "training.warmup=0", "model.layers=1", "run.anomaly=" + looked});
      const std::string errors = here.refusal(1, training);
      const ProgramResult replayed = here.run("replay a/replay.safetensors");
      EXPECT_EQ(replayed.exit_code, 1) << replayed.errors;
      const std::string anomaly = replayed.output.substr(replayed.output.find(": ") + 2);
      EXPECT_THAT(anomaly, AllOf(HasSubstr(" numbers are not finite\n"), HasSubstr("in a shard of"),
                                 ContainsRegex(text ? "^[a-z_]+ in decoder[.]"
                                                    : "^[a-z_]+ in (encoder|decoder|output)")));
      EXPECT_THAT(errors, AllOf(HasSubstr("error: step "), HasSubstr("replay a/replay.safetensors"),
                                HasSubstr(anomaly)));
    }
  }
}

TEST(Anomaly, changes_nothing_where_there_is_none) {
  const ProgramDirectory here;
  for (const std::string anomaly : {"true", "false"}) {
    here.output(
        tiny_training(anomaly, {"training.steps=5", "training.warmup=1", "evaluation.decode=false",
                                "evaluation.metric=loss", "run.anomaly=" + anomaly}));
  }
  expect_same_file(step_checkpoint(here / "true", 5), step_checkpoint(here / "false", 5));
}

}}  // namespace tapehead
