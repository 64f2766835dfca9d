// A training that diverges: its message, the step that it keeps, and the replay of that step.
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

void diverge(Arguments& training, const std::string& anomaly) {
  set_options(training, {"training.optimizer=sgd", "training.learning_rate=1000",
                         "model.norm_position=post", "training.clip_norm=0", "training.warmup=0",
                         "model.layers=1", "run.anomaly=" + anomaly});
}

// Trains into `a`. Training and replay must give the same report, which names an op and a layer.
void expect_reported(const ProgramDirectory& here, const Arguments& training,
                     const std::string& layer) {
  const ProgramResult trained = here.run(training);
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_THAT(trained.errors,
              AllOf(HasSubstr("error: step "), HasSubstr("replay a/replay.safetensors")));
  const ProgramResult replayed = here.run({"replay", "a/replay.safetensors"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.errors;
  const std::string anomaly = replayed.output.substr(replayed.output.find(": ") + 2);
  EXPECT_THAT(anomaly, AllOf(HasSubstr(" numbers are not finite\n"), HasSubstr("in a shard of"),
                             ContainsRegex("^[a-z_]+ in " + layer)));
  EXPECT_THAT(trained.errors, HasSubstr(anomaly));
}

TEST(Anomaly, stops_a_training_and_is_replayed) {
  for (const std::string looked : {"true", "false"}) {
    SCOPED_TRACE("run.anomaly=" + looked);
    const ProgramDirectory here;
    Arguments training{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", "a"};
    set_options(training, {"task.train_examples=400"});
    diverge(training, looked);
    expect_reported(here, training, "(encoder|decoder|output)");
  }
}

TEST(Anomaly, stops_a_language_model_and_is_replayed) {
  for (const std::string looked : {"true", "false"}) {
    SCOPED_TRACE("run.anomaly=" + looked);
    const ProgramDirectory here;
    Arguments training = text_training(here, "a", {"attention.kv_heads=1"});
    diverge(training, looked);
    expect_reported(here, training, "decoder[.]");
  }
}

TEST(Anomaly, changes_nothing_where_there_is_none) {
  const ProgramDirectory here;
  for (const std::string anomaly : {"true", "false"}) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", anomaly};
    set_options(arguments, {"model.layers=1", "task.train_examples=400", "training.steps=5",
                            "training.warmup=1", "evaluation.decode=false",
                            "evaluation.metric=loss", "run.anomaly=" + anomaly});
    here.output(arguments);
  }
  EXPECT_EQ(content_of(step_checkpoint(here / "true", 5)),
            content_of(step_checkpoint(here / "false", 5)));
}

}}  // namespace tapehead
