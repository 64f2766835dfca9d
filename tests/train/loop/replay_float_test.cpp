// Replays: a step with a number that is not finite is stored, read and run again.
#include "train/loop/replay.hpp"

#include "core/files/tensor_file.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"
#include "train/model_training.hpp"
#include "train/step/trainer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr const char* config_text = R"(
task: {name: copy, train_examples: 60, validation_examples: 5, test_examples: 5}
model: {d_model: 12, heads: 3, layers: 1, d_ff: 20, dropout: 0.2}
training: {batch_tokens: 64, accumulate: 2, shards: 2}
)";

class ReplayTest : public Test {
 protected:
  ReplayTest()
      : config_(parse_config(config_text, "test.yaml").config),
        task_(make_task(config_.task, {.seed = config_.seed})),
        model_(config_, task_.source_tokenizer->size(), task_.target_tokenizer->size()) {
    const Split& train = task_.split("train");
    const auto batches = epoch_batches(*train.source, config_.training.batching(), config_.seed, 0);
    step_ = {.config = config_,
             .source_vocabulary = task_.source_tokenizer->size(),
             .target_vocabulary = task_.target_tokenizer->size(),
             .step = 4,
             .batches = {pack(*train.source, batches[0]), pack(*train.source, batches[1])}};
  }

  Replayed replayed(Index threads) const {
    write_replay(file_, step_, model_.store);
    return replay_step(file_, threads);
  }

  // The message of the trainer itself for the step.
  std::string trainers_word() {
    Workers workers(1);
    Trainer trainer(
        model_.store, workers,
        {.training = config_.training, .seed = config_.seed, .d_model = config_.model.d_model});
    trainer.optimizer().set_steps(step_.step - 1);
    try {
      const StepStats stats = trainer.step(step_.batches, [&](Pass& pass, const Batch& batch) {
        return batch_loss(model_.transformer, pass, batch,
                          {.label_smoothing = config_.training.label_smoothing});
      });
      return fmt::format("loss {:.4g}, gradient norm {:.4g}", stats.loss, stats.gradient_norm);
    } catch (const NumericError& error) {
      return error.what();
    }
  }

  Config config_;
  Task task_;
  Model model_;
  Replay step_;
  TemporaryDirectory here_;
  std::filesystem::path file_ = here_ / "replay.safetensors";
};

// Accumulated batches must draw the same dropout as in the step, or the loss would differ.
TEST_F(ReplayTest, runs_a_step_to_the_same_anomaly_or_the_same_numbers) {
  const auto& weight = *std::ranges::find(
      model_.store.parameters(), "decoder.layers.0.cross.value.weight", &NamedParameter::name);
  const Tensor before = model_.store.value(weight).copy();
  std::ranges::fill_n(model_.store.value(weight).data(), 2, std::numeric_limits<Scalar>::max());
  const Replayed overflow = replayed(2);
  EXPECT_FALSE(overflow.clean);
  EXPECT_THAT(overflow.message,
              AllOf(HasSubstr("step 4: linear in decoder.layers.0.cross.value, head 0: the value "),
                    HasSubstr("in a shard of training examples ")));
  EXPECT_EQ(overflow.message, "step 4: " + trainers_word());
  std::ranges::copy(before.values(), model_.store.value(weight).data());
  const Replayed clean = replayed(1);
  EXPECT_TRUE(clean.clean);
  EXPECT_EQ(clean.message, "step 4 runs without an anomaly: " + trainers_word());
}

TEST_F(ReplayTest, keeps_the_types_of_tokens_and_refuses_other_files) {
  PoolVector<TokenId>& types = step_.batches[1].input.types;
  types.assign(step_.batches[1].input.ids.size(), 1);
  EXPECT_TRUE(replayed(1).clean);
  EXPECT_THAT(TensorFile(file_).entry("batch.1.target_types").shape,
              ElementsAre(std::ssize(types)));
  types.pop_back();
  EXPECT_THAT([&] { replayed(1); }, ThrowsMessage<IoError>(HasSubstr("batch.input.types")));
  write_tensor_file(file_, {}, {});
  EXPECT_THAT([&] { replay_step(file_, 1); }, ThrowsMessage<IoError>(HasSubstr("replay.config")));
  std::ofstream(file_) << "something else";
  EXPECT_THROW(replay_step(file_, 1), IoError);
  EXPECT_THROW(replay_step(here_ / "missing.safetensors", 1), IoError);
}

// A step of lanes: the memory of the lanes is part of the replay.
class ReplayOfLanes : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Precisions, ReplayOfLanes, Values("float32", "bfloat16"));

TEST_P(ReplayOfLanes, sees_what_the_step_saw) {
  const TemporaryDirectory here;
  const std::string precision = GetParam();
  const Config config =
      parse_config("task: {name: text, train_text: " TAPEHEAD_FIXTURES
                   "/text/train.en, tokenizer: character, context: 8}\n"
                   "model: {family: decoder, d_model: 12, heads: 3, layers: 2, positions: none, "
                   "initializer_gain: 4}\nattention: {positions: alibi}\n"
                   "training: {batch_tokens: 64, accumulate: 2, memory: 12, precision: " +
                       precision + "}\n",
                   "test.yaml")
          .config;
  const Task task = make_task(config.task, {.seed = config.seed});
  Model model(config, task);
  Workers workers(1);
  Trainer trainer = trainer_of(model, config, workers);
  const LossFunction loss = training_loss(model, config);
  TrainingBatches batches(config, task);
  TrainingPosition position{.batching = config.training.batching(), .measure = ""};
  trainer.step(batches.next(position), loss);
  const std::vector<Batch> second = batches.next(position);
  Replay replay{.config = config,
                .source_vocabulary = task.source_tokenizer->size(),
                .target_vocabulary = task.target_tokenizer->size(),
                .step = 2,
                .batches = second,
                .memory = trainer.memory()->committed().copy()};
  write_replay(here / "replay.safetensors", replay, model.store);
  std::ranges::fill(replay.memory.values(), Scalar{0});
  write_replay(here / "other.safetensors", replay, model.store);
  const StepStats stats = trainer.step(second, loss);
  const std::string expected =
      fmt::format("step 2 runs without an anomaly: loss {:.4g}, gradient norm {:.4g}", stats.loss,
                  stats.gradient_norm);
  EXPECT_EQ(replay_step(here / "replay.safetensors", 1).message, expected);
  EXPECT_NE(replay_step(here / "other.safetensors", 1).message, expected);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
