// Models of one stack: classifiers of both families, decoders alone, and encoders that label each
// token. Every command on runs works, with the same bits by any threads and through a resume.
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class Classify : public ProgramRuns, public WithParamInterface<const char*> {
 protected:
  const std::string family = std::string("model.family=") + GetParam();

  void train(const std::string& run, const Arguments& options = {}) {
    output(labelled_training(here, run, {family}, options));
  }

  // The best weights of a run's parameter.
  std::vector<float> numbers(const std::string& run, const std::string& parameter) const {
    const TensorFile file(here / run / "checkpoints" / "best.safetensors");
    std::vector<float> list(file.bytes(parameter).size() / sizeof(float));
    copy_values(file.entry(parameter), std::span(list));
    return list;
  }
};

INSTANTIATE_TEST_SUITE_P(Families, Classify, Values("encoder", "decoder"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Classify, learns_the_classes_and_works_with_every_command) {
  train("a");
  const auto metrics = json_of("evaluate a --json");
  EXPECT_EQ(metrics["examples"], 12);
  EXPECT_GE(metrics["accuracy"], 0.8);  // chance: 0.5
  EXPECT_THAT(metrics["confusion"]["classes"], ElementsAre("cold", "warm"));
  EXPECT_NEAR(metrics["macro_f1"], metrics["accuracy"], 0.1);  // classes are equally frequent
  EXPECT_THAT(lines_of(output("classify a", "a hot wind\nnobody saw the icy garden\n")),
              ElementsAre(StartsWith("warm\t0."), StartsWith("cold\t0.")));
  const auto all = json_of("classify a --json --top 9", "what a frosty day it is\n");
  EXPECT_EQ(all["text"], "what a frosty day it is");
  ASSERT_EQ(all["classes"].size(), 2U);
  EXPECT_EQ(all["classes"][0]["label"], "cold");
  EXPECT_NEAR(all["classes"][0]["probability"].get<double>() +
                  all["classes"][1]["probability"].get<double>(),
              1, 1e-5);  // float logits
  EXPECT_THAT(output("heads a --importance"), HasSubstr("of 4 heads have a role"));
  EXPECT_THAT(output("report a"), HasSubstr("report.html"));
  EXPECT_THAT(output({"plan", "c.yaml", "--set", family}), HasSubstr("output layer"));
  EXPECT_THAT(output("prune a b --count 1"), HasSubstr("b"));
  EXPECT_THAT(output("classify b", "a hot wind\n"), HasSubstr("\t0."));
}

TEST_P(Classify, has_the_same_bits_by_any_threads_and_through_a_resume) {
  train("a", {"--threads", "1"});
  output(labelled_training(here, "b", {family, "training.steps=60"}));
  output({"train", "c.yaml", "--run", "b", "--resume", "--threads", "3", "--set", family, "--set",
          "training.steps=120"});
  expect_same_runs(here / "a", here / "b");
}

// The second text decides the class; token types and marks distinguish it from the first.
TEST_P(Classify, learns_from_pairs_of_texts) {
  write("pairs.tsv",
        "sun\tsun\twarm\nsun\tice\tcold\nice\tsun\twarm\nice\tice\tcold\n"
        "wind\tsun\twarm\nwind\tice\tcold\n");
  write("p.yaml",
        "task: {name: labelled_text, train_tsv: pairs.tsv, validation_tsv: pairs.tsv, texts: 2}\n"
        "model: {preset: bert, d_model: 16, layers: 1, heads: 2, dropout: 0}\n"
        "training: {steps: 150, learning_rate: 1e-2, batch_tokens: 64}\n"
        "evaluation: {every: 150}\nrun: {report: false}\n");
  output({"train", "p.yaml", "--run", "p", "--set", family});
  EXPECT_THAT(lines_of(output("classify p", "ice\tsun\nsun\tice\n")),
              ElementsAre(StartsWith("warm\t"), StartsWith("cold\t")));
  EXPECT_THAT(complaint("classify p", "sun\n"),
              AllOf(HasSubstr("standard input:1: 1 text"), HasSubstr("the model reads 2")));
}

// Starts from a masked or causal model of the same texts, with its tokenizer.
TEST_P(Classify, starts_from_a_model_of_text) {
  const bool masked = GetParam() == std::string("encoder");
  std::string text;
  for (const std::string& line : lines_of(content_of(TAPEHEAD_FIXTURES "/labelled/train.tsv"))) {
    text += line.substr(0, line.find('\t')) + "\n";
  }
  write("text", text);
  write("m.yaml",
        "task: {name: text, train_text: text, documents: line, context: 16, tokenizer: word, "
        "vocabulary: 50}\n"
        "model: {d_model: 16, layers: 1, dropout: 0, tie_embeddings: target_output, "
        "head_transform: masked}\n"
        "training: {batch_tokens: 128, steps: 20}\nrun: {report: false}\n");
  output({"train", "m.yaml", "--run", "m", "--set", family});
  const ProgramResult result =
      run(labelled_training(here, "c",
                            {family, "model.init_from=m", "task.tokenizer_of=m",
                             "training.learning_rate=0", "training.steps=1"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output + result.errors,
              AllOf(HasSubstr("starting from the weights of m"),
                    HasSubstr("its output layer is for another task; new weights: output.weight")));
  const std::string name = masked ? "source.embedding" : "target.embedding";
  const std::vector<float> body = numbers("m", name);
  const std::vector<float> taken = numbers("c", name);
  ASSERT_EQ(body.size(), taken.size() + (masked ? 16 : 0));  // the row of the mask
  EXPECT_TRUE(std::equal(taken.begin(), taken.end(), body.begin()));
  const std::string inner = std::string(GetParam()) + ".layers.0.feed_forward.inner.weight";
  EXPECT_EQ(numbers("c", inner), numbers("m", inner));
}

class DecoderAlone : public ProgramRuns, public WithParamInterface<std::string> {
 protected:
  void train(const std::string& name, const Arguments& overrides = {},
             const Arguments& options = {}) {
    const Arguments all =
        Arguments{"model.family=decoder", "model.prefix=" + GetParam()} + overrides;
    output(tiny_training(name, all, options));
  }
};

INSTANTIATE_TEST_SUITE_P(Prefix, DecoderAlone, Values("causal", "full"),
                         [](const auto& test) { return test.param; });

TEST_P(DecoderAlone, has_the_same_bits_by_any_threads_and_through_a_resume) {
  train("a", {"training.schedule=constant"}, {"--threads", "1"});
  train("b", {"training.schedule=constant", "training.steps=20"}, {"--threads", "2"});
  output(resumed_training("b", {"training.steps=40"}, {"--threads", "3"}));
  expect_same_runs(here / "a", here / "b");
}

TEST_P(DecoderAlone, is_evaluated_decoded_examined_and_pruned) {
  train("a", {"run.report=true", "attention.gates=l0", "model.layers=2"});
  EXPECT_THAT(content_of(here / "a/log.txt"),
              AllOf(HasSubstr("decoder self-attention"), Not(HasSubstr("encoder self-attention")),
                    Not(HasSubstr("cross-attention"))));
  EXPECT_EQ(json_of("evaluate a --json")["examples"], 40);
  EXPECT_THAT(lines_of(output("translate a", "1 2 3\n5\n")), SizeIs(2));
  const auto heads = json_of("heads a --importance --json");
  ASSERT_EQ(heads["attentions"].size(), 2U);
  EXPECT_EQ(heads["attentions"][0]["attention"], "decoder.layers.0.self");
  EXPECT_EQ(heads["attentions"][0]["relations"][0]["name"], "answer");
  output("prune a b --head decoder.layers.0.self.2");
  EXPECT_EQ(json_of("heads b --json")["attentions"][0]["heads"].size(), 3U);
  EXPECT_THAT(content_of(here / "a/report.html"),
              AllOf(HasSubstr("decoder.layers.0.self"), HasSubstr("\"2 layers, width 16\"")));
}

TEST_P(DecoderAlone, is_planned_and_has_right_gradients) {
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  for (const auto& [command, says] : {std::pair("plan", "of them with a label"),
                                      std::pair("gradcheck", "all gradients are right")}) {
    Arguments arguments{command, config};
    set_options(arguments, {"model.family=decoder", "model.prefix=" + GetParam(),
                            "attention.positions=relative"});
    EXPECT_THAT(output(arguments), HasSubstr(says));
  }
}

using TokenLabels = ProgramRuns;

TEST_F(TokenLabels, are_learned_from_columns_and_given_to_lines) {
  here.write("columns", "the O\nhot W\nsun O\n\na O\ncold C\nwind O\n");
  here.write("a.yaml",
             "task: {name: tagged_text, train_columns: columns, validation_columns: columns}\n"
             "model: {family: encoder, d_model: 16, layers: 1, dropout: 0}\n"
             "training: {steps: 60, learning_rate: 1e-2, batch_tokens: 64}\n"
             "evaluation: {every: 60}\nrun: {report: false}\n");
  output("train a.yaml --run a");
  EXPECT_EQ(output("translate a", "the hot sun\n\na cold wind\n"), "O W O\n\nO C O\n");
  const auto metrics = json_of("evaluate a --split validation --json");
  EXPECT_EQ(metrics["label_f1"], 1.0);
  EXPECT_EQ(metrics["entity_f1"], 0.0) << "no label begins with B";
  EXPECT_FALSE(metrics.contains("bleu"));
  for (const std::string option : {"--beam", "--length-penalty", "--n-best"}) {
    expect_refusals({{"translate a " + option + " 2",
                      2,
                      {option + ": the model gives its labels in one pass"}}});
  }
  // They are taken over by name from a run with other words: in both vocabularies, a line's words
  // are ordered differently from its labels.
  here.write("other", "cold C\nthe O\ncold C\nhot W\n");
  output(
      "train a.yaml --run b --set task.train_columns=other --set task.validation_columns=other "
      "--set model.init_from=a --set training.learning_rate=0 --set training.steps=1");
  EXPECT_EQ(output("translate b", "the hot cold\n"), "O W C\n");
}

TEST_F(TokenLabels, need_sentences_that_fit_the_model_and_sides_of_one_length) {
  here.write("short", "the O\nhot W\n");
  here.write("long", "the O\n\nhot W\nthe O\nhot W\nthe O\n");
  here.write("a.yaml",
             "task: {name: tagged_text, train_columns: short, validation_columns: long, "
             "max_length: 2}\n"
             "model: {family: encoder, d_model: 16, layers: 1, max_positions: 3}\n"
             "training: {steps: 1}\n");
  expect_refusals(
      {{"train a.yaml --run a", 1, {"long:3: 3 tokens are more than the model has positions"}},
       {{"train", TAPEHEAD_SOURCE_DIR "/configs/grammar.yaml", "--run", "a", "--set",
         "model.family=encoder"},
        1,
        {"an encoder gives one label to each token of the source"}}});
}

TEST_F(TokenLabels, of_reversed_symbols_need_attention_and_are_learned) {
  Arguments train{"train", TAPEHEAD_SOURCE_DIR "/configs/reverse.yaml", "--run", "a"};
  set_options(train, {"model.family=encoder", "task.max_length=6", "training.steps=300",
                      "training.warmup=50", "evaluation.every=300", "run.report=false",
                      "task.train_examples=3000", "task.test_examples=100",
                      "task.validation_examples=100"});
  output(train);
  const auto metrics = json_of("evaluate a --json");
  EXPECT_GE(metrics["token_accuracy"], 0.9);
  EXPECT_GE(metrics["sequence_accuracy"], 0.7);
}

}}  // namespace tapehead
