// A model that has learnt a task has the head that the task needs, and fails without it.
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// The largest agreement of a decoder head with the relation to the answer.
double agreement_on_answers(const nlohmann::json& attention) {
  const nlohmann::json& relations = attention["relations"];
  const auto answer = std::ranges::find_if(
      relations, [](const nlohmann::json& relation) { return relation["name"] == "answer"; });
  return std::ranges::max((*answer)["agreement"].get<std::vector<double>>());
}

// Trains a shipped config with overrides, and queries the run with the program.
class KnownHeads : public ProgramRuns {
 protected:
  void train(const std::string& config, const Arguments& overrides) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/" + config + ".yaml", "--run", "a",
                        "--overwrite"};
    set_options(arguments, {"task.validation_examples=100", "task.test_examples=100"});
    set_options(arguments, overrides);
    output(arguments);
  }
  double accuracy_of(const std::string& unit) const {
    return json_of("evaluate a --json")[unit + "_accuracy"];
  }
  // The report on cross-attention.
  nlohmann::json across() const {
    const auto attention = json_of("heads a --json")["attentions"].back();
    EXPECT_EQ(attention["attention"], "decoder.layers.0.cross");
    return attention;
  }
  // The task needs one encoder and one decoder layer; without the encoder layer, training fails.
  void expect_to_take_two_layers(const std::string& config, const Arguments& further) {
    const Arguments one_layer =
        Arguments{"model.d_model=32",         "task.vocabulary=8",
                  "task.train_examples=5000", "training.batch_tokens=1024",
                  "training.warmup=50",       "training.learning_rate=5e-3",
                  "evaluation.every=1000",    "evaluation.decode_examples=100"} +
        further;
    // Relative keys let the first layer learn quickly what precedes each symbol.
    train(config,
          one_layer + Arguments{"encoder_self.positions=relative_keys", "encoder_self.clip=2"});
    EXPECT_GT(accuracy_of("sequence"), 0.95);
    EXPECT_GT(agreement_on_answers(across()), 0.7);
    train(config, one_layer + Arguments{"model.encoder_layers=0"});
    EXPECT_LT(accuracy_of("sequence"), 0.6);
  }
};

TEST_F(KnownHeads, previous_token_has_a_head_that_looks_one_back) {
  train("previous_token", {"training.steps=300", "evaluation.every=300"});
  const nlohmann::json attention = across();
  const nlohmann::json& heads = attention["heads"];
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_EQ(heads[0]["offset"], -1) << heads[0].dump();
  const nlohmann::json& previous = attention["relations"][0];
  EXPECT_EQ(previous["offset"], -1) << "that is the relation";
  EXPECT_EQ(previous["offset_share"], 1);
  EXPECT_GT(previous["agreement"][0], 0.7) << previous.dump();
  EXPECT_GT(heads[0]["offset_share"], 0.7) << "the row that predicts the end mark looks elsewhere";
}

TEST_F(KnownHeads, two_offsets_has_a_head_at_either_and_fails_with_one) {
  const Arguments shorter{"training.steps=1000", "evaluation.every=1000"};
  train("two_offsets", shorter);
  const nlohmann::json attention = across();
  const nlohmann::json& heads = attention["heads"];
  ASSERT_EQ(heads.size(), 2U);
  for (const nlohmann::json& relation : attention["relations"]) {  // one head each
    const double first = relation["agreement"][0];
    const double second = relation["agreement"][1];
    EXPECT_GT(std::max(first, second), 0.7) << relation.dump();
    EXPECT_LT(std::min(first, second), 0.3) << relation.dump();
  }
  std::set<int> offsets;
  for (const nlohmann::json& head : heads) {
    EXPECT_GT(head["offset_share"], 0.7) << head.dump();
    offsets.insert(head["offset"].get<int>());
  }
  EXPECT_EQ(offsets, (std::set<int>{1, 6}));  // the offsets in the config
  EXPECT_GT(accuracy_of("token"), 0.95);

  train("two_offsets", {shorter[0], shorter[1], "model.heads=1"});
  EXPECT_LT(accuracy_of("token"), 0.5);
}

TEST_F(KnownHeads, copy_distractors_has_a_head_that_goes_by_what_stands_there) {
  train("copy", {"task.name=copy_distractors", "task.train_examples=5000", "model.layers=1",
                 "model.d_model=32", "model.dropout=0", "training.batch_tokens=1024",
                 "training.warmup=50", "training.learning_rate=5e-3", "training.steps=600",
                 "evaluation.every=600", "evaluation.decode_examples=100"});
  EXPECT_GT(accuracy_of("sequence"), 0.85);
  const nlohmann::json attention = across();
  const double offset = attention["relations"][0]["offset_share"];
  EXPECT_LT(offset, 0.5) << "no fixed distance finds the marked symbols";
  EXPECT_GT(agreement_on_answers(attention), offset + 0.15);
}

TEST_F(KnownHeads, induction_takes_two_layers) {
  expect_to_take_two_layers("induction", {"task.max_length=8", "training.steps=400"});
}

TEST_F(KnownHeads, recall_takes_two_layers) {
  expect_to_take_two_layers("recall", {"task.facts=3", "task.max_gap=8", "training.steps=1000"});
}

}}  // namespace tapehead
