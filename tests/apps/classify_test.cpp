// Classifiers: every command on runs works in both families, and `classify` assigns classes to
// lines.
#include <nlohmann/json.hpp>

#include "core/files/tensor_file.hpp"
#include "tests/support/labelled_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class Classify : public ProgramRuns, public WithParamInterface<const char*> {
 protected:
  void train(const std::string& run, const Arguments& options = {}) {
    output(labelled_training(here, run, {std::string("model.family=") + GetParam()}, options));
  }

  // The best weights of a run's parameter.
  std::vector<float> numbers(const std::string& run, const std::string& parameter) const {
    const TensorFile file(here / run / "checkpoints" / "best.safetensors");
    std::vector<float> list(file.bytes(parameter).size() / sizeof(float));
    copy_values(file.entry(parameter), std::span(list));
    return list;
  }
};

// The first column of a TSV.
std::string text_of(const std::string& tsv) {
  std::string text;
  for (const std::string& line : lines_of(tsv)) {
    text += line.substr(0, line.find('\t')) + "\n";
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(Families, Classify, Values("encoder", "decoder"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Classify, learns_the_classes_and_gives_them_to_lines) {
  train("a");
  const auto metrics = nlohmann::json::parse(output({"evaluate", "a", "--json"}));
  EXPECT_EQ(metrics["examples"], 12);
  EXPECT_GE(metrics["accuracy"], 0.8);  // chance: 0.5
  EXPECT_THAT(metrics["confusion"]["classes"], ElementsAre("cold", "warm"));
  EXPECT_NEAR(metrics["macro_f1"], metrics["accuracy"], 0.1);  // classes are equally frequent
  const auto lines = lines_of(output({"classify", "a"}, "a hot wind\nnobody saw the icy garden\n"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], StartsWith("warm\t0."));
  EXPECT_THAT(lines[1], StartsWith("cold\t0."));
}

TEST_P(Classify, gives_probabilities_of_all_classes) {
  train("a");
  const auto json = nlohmann::json::parse(
      output({"classify", "a", "--json", "--top", "9"}, "what a frosty day it is\n"));
  EXPECT_EQ(json["text"], "what a frosty day it is");
  ASSERT_EQ(json["classes"].size(), 2U);
  EXPECT_EQ(json["classes"][0]["label"], "cold");
  EXPECT_NEAR(json["classes"][0]["probability"].get<double>() +
                  json["classes"][1]["probability"].get<double>(),
              1, 1e-5);  // float logits
}

TEST_P(Classify, has_the_same_bits_by_any_threads_and_through_a_resume) {
  train("a", {"--threads", "1"});
  Arguments half = labelled_training(
      here, "b", {std::string("model.family=") + GetParam(), "training.steps=60"});
  output(half);
  Arguments resumed{"train", "c.yaml", "--run", "b", "--resume", "--threads", "3"};
  set_options(resumed, {std::string("model.family=") + GetParam(), "training.steps=120"});
  output(resumed);
  expect_same_runs(here / "a", here / "b");
}

TEST_P(Classify, runs_work_with_the_commands_about_heads_and_plans) {
  train("a");
  EXPECT_THAT(output({"heads", "a", "--importance"}), HasSubstr("of 4 heads have a role"));
  EXPECT_THAT(output({"report", "a"}), HasSubstr("report.html"));
  EXPECT_THAT(output({"plan", "c.yaml", "--set", std::string("model.family=") + GetParam()}),
              HasSubstr("output layer"));
  EXPECT_THAT(output({"prune", "a", "b", "--count", "1"}), HasSubstr("b"));
  EXPECT_THAT(output({"classify", "b"}, "a hot wind\n"), HasSubstr("\t0."));
}

// The second text decides the class; token types and marks distinguish it from the first.
TEST_P(Classify, learns_from_pairs_of_texts) {
  std::ofstream pairs(here / "pairs.tsv");
  for (const char* first : {"sun", "ice", "wind"}) {
    for (const char* second : {"sun", "ice"}) {
      pairs << first << "\t" << second << "\t" << (second == std::string("sun") ? "warm" : "cold")
            << "\n";
    }
  }
  pairs.close();
  std::ofstream(here / "p.yaml")
      << "task: {name: labelled_text, train_tsv: pairs.tsv, validation_tsv: pairs.tsv, texts: 2}\n"
         "model: {family: "
      << GetParam()
      << ", preset: bert, d_model: 16, layers: 1, heads: 2, dropout: 0}\n"
         "training: {steps: 150, learning_rate: 1e-2, batch_tokens: 64}\n"
         "evaluation: {every: 150}\nrun: {report: false}\n";
  output({"train", "p.yaml", "--run", "p"});
  const auto lines = lines_of(output({"classify", "p"}, "ice\tsun\nsun\tice\n"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], StartsWith("warm\t"));
  EXPECT_THAT(lines[1], StartsWith("cold\t"));
  EXPECT_THAT(
      complaint({"classify", "p"}, "sun\n"),
      HasSubstr("standard input:1: 1 text with tabs between them, where the model reads 2"));
}

// Starts from a masked or causal model of the same texts, with its tokenizer.
TEST_P(Classify, starts_from_a_model_of_text) {
  const bool masked = GetParam() == std::string("encoder");
  std::ofstream(here / "text") << text_of(content_of(TAPEHEAD_FIXTURES "/labelled/train.tsv"));
  std::ofstream(here / "m.yaml")
      << "task: {name: text, train_text: text, documents: line, context: 16, tokenizer: word, "
         "vocabulary: 50}\n"
         "model: {family: "
      << GetParam()
      << ", d_model: 16, layers: 1, dropout: 0, tie_embeddings: target_output, "
         "head_transform: masked}\n"
         "training: {batch_tokens: 128, steps: 20}\nrun: {report: false}\n";
  output({"train", "m.yaml", "--run", "m"});
  Arguments from = labelled_training(here, "c");
  set_options(from, {std::string("model.family=") + GetParam(), "model.init_from=m",
                     "task.tokenizer_of=m", "training.learning_rate=0", "training.steps=1"});
  const ProgramResult result = here.run(from);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string said = result.output + result.errors;
  EXPECT_THAT(said, HasSubstr("starting from the weights of m"));
  EXPECT_THAT(said, HasSubstr("its output layer is for another task; new weights: output.weight"));
  const std::string name = masked ? "source.embedding" : "target.embedding";
  const std::vector<float> body = numbers("m", name);
  const std::vector<float> taken = numbers("c", name);
  ASSERT_EQ(body.size(), taken.size() + (masked ? 16 : 0));  // the row of the mask
  EXPECT_TRUE(std::equal(taken.begin(), taken.end(), body.begin()));
  EXPECT_EQ(numbers("c", std::string(masked ? "encoder" : "decoder") +
                             ".layers.0.feed_forward.inner.weight"),
            numbers("m", std::string(masked ? "encoder" : "decoder") +
                             ".layers.0.feed_forward.inner.weight"));
}

TEST_P(Classify, says_what_it_cannot_do) {
  train("a");
  EXPECT_THAT(
      complaint({"classify", "a"}, "fine\ntwo\ttexts\n"),
      HasSubstr("standard input:2: 2 texts with tabs between them, where the model reads 1"));
  EXPECT_THAT(complaint({"translate", "a"}, "x\n"),
              HasSubstr("its task is labelled_text; use `classify a`"));
  EXPECT_THAT(complaint({"generate", "a"}), HasSubstr("use `classify a`"));
  EXPECT_THAT(complaint({"score", "a"}, "x\n"), HasSubstr("use `classify a`"));
  EXPECT_THAT(complaint({"fill", "a"}, "x\n"), HasSubstr("use `classify a`"));
  EXPECT_THAT(complaint({"evaluate", "a", "--beam", "2"}), HasSubstr("without a search"));
}

}}  // namespace tapehead
