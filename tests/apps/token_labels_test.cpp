// Encoders that label each token: from columns, and for synthetic tasks whose source and target
// have equal lengths.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class TokenLabels : public ProgramRuns {
 protected:
  // Trains the run `a` on a hot sun and a cold wind.
  void train() {
    std::ofstream(here / "columns") << "the O\nhot W\nsun O\n\na O\ncold C\nwind O\n";
    std::ofstream(here / "a.yaml")
        << "task: {name: tagged_text, train_columns: columns, validation_columns: columns}\n"
           "model: {family: encoder, d_model: 16, layers: 1, dropout: 0}\n"
           "training: {steps: 60, learning_rate: 1e-2, batch_tokens: 64}\nevaluation: {every: 60}\n"
           "run: {report: false}\n";
    output({"train", "a.yaml", "--run", "a"});
  }
};

TEST_F(TokenLabels, are_learned_from_columns_and_given_to_lines) {
  train();
  EXPECT_EQ(output({"translate", "a"}, "the hot sun\n\na cold wind\n"), "O W O\n\nO C O\n");
  const auto metrics =
      nlohmann::json::parse(output({"evaluate", "a", "--split", "validation", "--json"}));
  EXPECT_EQ(metrics["label_f1"], 1.0);
  EXPECT_EQ(metrics["entity_f1"], 0.0) << "no label begins with B";
  EXPECT_FALSE(metrics.contains("bleu"));
  for (const std::string option : {"--beam", "--length-penalty", "--n-best"}) {
    EXPECT_THAT(refusal(2, {"translate", "a", option, "2"}),
                HasSubstr(option + ": the model gives its labels in one pass"));
  }
}

// In both vocabularies, a line's words are ordered differently from its labels.
TEST_F(TokenLabels, are_taken_over_by_name_from_a_run_with_other_words) {
  std::ofstream(here / "other") << "cold C\nthe O\ncold C\nhot W\n";
  train();
  output({"train", "a.yaml", "--run", "b", "--set", "task.train_columns=other", "--set",
          "task.validation_columns=other", "--set", "model.init_from=a", "--set",
          "training.learning_rate=0", "--set", "training.steps=1"});
  EXPECT_EQ(output({"translate", "b"}, "the hot cold\n"), "O W C\n");
}

TEST_F(TokenLabels, of_a_sentence_too_long_for_the_model_are_refused_with_its_line) {
  std::ofstream(here / "short") << "the O\nhot W\n";
  std::ofstream(here / "long") << "the O\n\nhot W\nthe O\nhot W\nthe O\n";
  std::ofstream(here / "a.yaml")
      << "task: {name: tagged_text, train_columns: short, validation_columns: long, "
         "max_length: 2}\n"
         "model: {family: encoder, d_model: 16, layers: 1, max_positions: 3}\n"
         "training: {steps: 1}\n";
  EXPECT_THAT(refusal(1, {"train", "a.yaml", "--run", "a"}),
              HasSubstr("long:3: 3 tokens are more than the model has positions"));
}

TEST_F(TokenLabels, of_reversed_symbols_need_attention_and_are_learned) {
  output({"train", TAPEHEAD_SOURCE_DIR "/configs/reverse.yaml",
          "--run", "a",
          "--set", "model.family=encoder",
          "--set", "task.max_length=6",
          "--set", "training.steps=300",
          "--set", "training.warmup=50",
          "--set", "evaluation.every=300",
          "--set", "run.report=false",
          "--set", "task.train_examples=3000",
          "--set", "task.test_examples=100",
          "--set", "task.validation_examples=100"});
  const auto metrics = nlohmann::json::parse(output({"evaluate", "a", "--json"}));
  EXPECT_GE(metrics["token_accuracy"], 0.9);
  EXPECT_GE(metrics["sequence_accuracy"], 0.7);
}

TEST_F(TokenLabels, need_sides_of_one_length) {
  EXPECT_THAT(here.refusal(1, {"train", TAPEHEAD_SOURCE_DIR "/configs/grammar.yaml", "--run", "a",
                               "--set", "model.family=encoder"}),
              HasSubstr("an encoder gives one label to each token of the source"));
}

}}  // namespace tapehead
