// Gates on heads: what they do to the logits, and what the loss says of them.
#include "lab/head_importance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"
#include "datasets/loader.hpp"
#include "tests/support/message_of.hpp"
#include "train/config/config.hpp"
#include "train/evaluation.hpp"
#include "train/loss.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr Index heads = 2;

Config small_config() {
  Config config;
  config.task.name = TaskName::copy;
  config.task.synthetic.vocabulary = 7;
  config.task.synthetic.max_length = 5;
  config.task.synthetic.train_examples = 30;
  config.task.synthetic.validation_examples = 6;
  config.task.synthetic.test_examples = 6;
  config.model.d_model = 8;
  config.model.heads = heads;
  config.model.layers = 1;
  config.model.dropout = 0.3;  // which importance leaves out
  resolve(config);
  return config;
}

class HeadImportanceTest : public ::testing::Test {
 protected:
  HeadImportanceTest()
      : config_(small_config()),
        task_(make_task(config_.task, 1)),
        model_(config_, task_.source_tokenizer->size(), task_.target_tokenizer->size()) {}

  Tensor logits() const {
    const Batch batch = make_batch(split(), {0, 1, 2});
    Tape tape(false);
    Pass pass(tape, model_.store);
    const Var memory = model_.transformer.encode(pass, batch.source, batch.source_segments);
    return model_.transformer
        .logits(pass, model_.transformer.decode(pass, batch.target_input, batch.target_segments,
                                                memory, batch.source_segments))
        .value();
  }
  double sentence_loss(Index example) const {
    const Batch batch = make_batch(split(), {example});
    Tape tape(false);
    Pass pass(tape, model_.store);
    return translation_loss(model_.transformer, pass, batch, 0).loss.value().data()[0] /
           static_cast<double>(batch.tokens());
  }
  const Split& split() const { return task_.split("validation"); }

  Config config_;
  Task task_;
  Model model_;
};

TEST_F(HeadImportanceTest, AGateLeavesTheWeightsAsTheyWere) {
  const Tensor before = model_.store.values().copy();
  const Tensor logits_before = logits();
  {
    HeadGate gate(model_.store, {"decoder.layers.0.cross", 1}, heads);
    gate.set(0);
    EXPECT_THAT(logits().values(),
                ::testing::Not(Pointwise(DoubleNear(1e-6), logits_before.values())));
    gate.set(0.5);
  }
  EXPECT_THAT(model_.store.values().values(), ::testing::ElementsAreArray(before.values()));
}

// Without a head, what its query, key and value weights say makes no difference.
TEST_F(HeadImportanceTest, AHeadGatedOffSaysNothing) {
  HeadGate gate(model_.store, {"encoder.layers.0.self", 0}, heads);
  gate.set(0);
  const Tensor off = logits();
  for (const NamedParameter& parameter : model_.store.parameters()) {
    if (parameter.name.starts_with("encoder.layers.0.self.value.weight")) {
      Tensor value = model_.store.value(parameter);
      std::ranges::fill(value.values().first(value.values().size() / heads), 7.0);
    }
  }
  EXPECT_THAT(logits().values(), Pointwise(DoubleNear(1e-12), off.values()));
}

TEST_F(HeadImportanceTest, IsTheFiniteDifferenceOfTheGate) {
  Workers workers(2);
  const Importance found = head_importance(model_, config_, task_, split(), workers);
  ASSERT_EQ(found.heads.size(), 6U);  // two of each of three attentions
  for (const HeadImportance& head : found.heads) {
    SCOPED_TRACE(head.head.path);
    HeadGate gate(model_.store, head.head, heads);
    constexpr double step = 1e-5;
    double expected = 0;
    for (Index example = 0; example < 6; ++example) {
      gate.set(1 + step);
      const double above = sentence_loss(example);
      gate.set(1 - step);
      expected += std::abs(above - sentence_loss(example)) / (2 * step) / 6;
    }
    EXPECT_NEAR(head.slope, expected, 1e-8);
    EXPECT_GT(head.slope, 1e-6);
  }
}

TEST_F(HeadImportanceTest, SaysTheLossWithoutEachHead) {
  Workers workers(1);
  const Importance found = head_importance(model_, config_, task_, split(), workers);
  const auto loss = [&] {
    return evaluate(model_.transformer, model_.store, task_, split(), config_.evaluation, 0,
                    workers)
        .loss;
  };
  EXPECT_EQ(found.loss, loss());
  for (const HeadImportance& head : found.heads) {
    HeadGate gate(model_.store, head.head, heads);
    gate.set(0);
    EXPECT_EQ(head.loss_without, loss());
    EXPECT_NE(head.loss_without, found.loss);
  }
}

TEST_F(HeadImportanceTest, SaysTheSameAtAnyNumberOfThreads) {
  Workers one(1);
  Workers three(3);
  const Importance a = head_importance(model_, config_, task_, split(), one);
  const Importance b = head_importance(model_, config_, task_, split(), three);
  for (std::size_t i = 0; i < a.heads.size(); ++i) {
    EXPECT_EQ(a.heads[i].slope, b.heads[i].slope);
    EXPECT_EQ(a.heads[i].loss_without, b.heads[i].loss_without);
  }
}

TEST_F(HeadImportanceTest, OfAHeadThatThereIsNotIsRefused) {
  EXPECT_THAT(
      message_of<ConfigError>([&] { HeadGate(model_.store, {"encoder.layers.0.self", 2}, heads); }),
      AllOf(HasSubstr("no head 2 of encoder.layers.0.self"), HasSubstr("heads 0 to 1 of"),
            HasSubstr("decoder.layers.0.cross")));
  EXPECT_THAT(message_of<ConfigError>([&] { HeadGate(model_.store, {"nowhere", 0}, heads); }),
              HasSubstr("no head 0 of nowhere"));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
