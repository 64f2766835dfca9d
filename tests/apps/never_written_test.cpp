// Tokens that no command writes, however likely they are, and how exports state this.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class NeverWritten : public ProgramRuns {
 protected:
  static inline const auto has_unknown = HasSubstr("\u2047");

  // Overfits within half a second.
  void train(const std::string& task, const Arguments& overrides) const {
    here.write("a.yaml", "task: {" + task +
                             "}\nmodel: {d_model: 16, layers: 1, dropout: 0}\n"
                             "training: {steps: 60, learning_rate: 1e-2, warmup: 5, "
                             "batch_tokens: 128}\nevaluation: {every: 60}\nrun: {report: false}\n");
    Arguments arguments{"train", "a.yaml", "--run", "r", "--overwrite"};
    set_options(arguments, overrides);
    output(arguments);
  }
  // No command writes these tokens, as both exports say.
  void expect_never(const std::vector<int>& tokens) const {
    output("export r out --overwrite");
    EXPECT_EQ(Json::parse(content_of(here / "out/generation_config.json"))["suppress_tokens"],
              Json(tokens));
    output("export r out --as pytorch --overwrite");
    const TensorFile weights(here / "out/model.safetensors", Trust::any);
    EXPECT_EQ(Json::parse(weights.metadata("tapehead"))["writes"]["never"], Json(tokens));
  }
};

// Four of six tokens are words that occur once. The vocabulary holds the marks, the line end and
// the most frequent word.
TEST_F(NeverWritten, is_the_unknown_mark_where_it_is_likeliest) {
  std::string text;
  for (int line = 0; line < 80; ++line) {
    text += fmt::format("the a{0} b{0} c{0} d{0}\n", line);
  }
  here.write("text", text);
  for (const std::string documents : {"file", "line"}) {
    train("name: text, train_text: text, tokenizer: word, vocabulary: 5, context: 12, documents: " +
              documents,
          {"model.family=decoder", "model.max_positions=12", "model.preset=gpt2"});
    const auto scored = json_of("score r --json", "the b7\n");
    ASSERT_GT(scored["tokens"].back().back(), std::log(0.5)) << scored;
    const auto text_by = [&](const std::string& search) -> std::string {
      return json_of("generate r --prompt the --max-tokens 6 --json " + search)["text"];
    };
    const std::string likeliest = text_by("--temperature 0");
    EXPECT_EQ(text_by("--beam 1"), likeliest);
    for (const std::string& written :
         {likeliest, text_by("--beam 4"), output("generate r --count 20")}) {
      EXPECT_THAT(written, Not(has_unknown));
    }
    expect_never(documents == "line" ? std::vector{0, 1} : std::vector{0, 1, 2});
  }
}

TEST_F(NeverWritten, is_the_end_mark_of_a_single_document) {
  here.write("text", "one two three four five six\n");
  train("name: text, train_text: text, validation_text: text, tokenizer: word, context: 7",
        {"model.family=decoder", "model.max_positions=12"});
  for (const std::string search : {"1", "3"}) {
    const auto written = json_of({"generate", "r", "--prompt", "three four five six", "--beam",
                                  search, "--max-tokens", "2", "--json"});
    EXPECT_EQ(written["end"], "max_tokens") << written;
  }
}

TEST_F(NeverWritten, is_the_unknown_mark_in_translations) {
  std::string pairs;
  for (int line = 0; line < 60; ++line) {
    pairs += fmt::format("the a{0}\tthe b{0} c{0}\n", line);
  }
  here.write("pairs", pairs);
  train(
      "name: parallel_text, train_tsv: pairs, validation_tsv: pairs, tokenizer: word, "
      "vocabulary: 4, max_length: 8",
      {"model.preset=vaswani", "model.max_positions=16"});
  here.write("source", "the a1\n");
  here.write("target", "the b1\n");
  const auto scored = json_of("score r --source source --target target --json");
  ASSERT_GT(scored["tokens"][1].back(), std::log(0.5)) << scored;
  for (const std::string beam : {"1", "3"}) {
    EXPECT_THAT(output("translate r --beam " + beam, "the a1\nthe\n"), Not(has_unknown));
  }
  EXPECT_EQ(output({"generate", "r", "--prompt", "the a1", "--temperature", "0"}),
            output("translate r --beam 1", "the a1\n"));
  expect_never({0, 1});
}

}}  // namespace tapehead
