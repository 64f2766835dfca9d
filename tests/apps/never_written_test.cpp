// Tokens that no command writes, however likely they are, and how exports state this.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr const char* unknown = "\u2047";

class NeverWritten : public ProgramRuns {
 protected:
  // Overfits within half a second.
  void train(const std::string& task, const Arguments& overrides = {}) const {
    std::ofstream(here / "a.yaml") << "task: {" << task << "}\nmodel: {d_model: 16, layers: 1, "
                                   << "dropout: 0}\ntraining: {steps: 60, learning_rate: 1e-2, "
                                   << "warmup: 5, batch_tokens: 128}\nevaluation: {every: 60}\n"
                                   << "run: {report: false}\n";
    Arguments arguments{"train", "a.yaml", "--run", "r", "--overwrite"};
    set_options(arguments, overrides);
    output(arguments);
  }
  // Four of six tokens are words that occur once. The vocabulary holds the marks, the line end and
  // the most frequent word.
  void train_on_rare_words(const std::string& documents) const {
    std::ofstream text(here / "text");
    for (int line = 0; line < 80; ++line) {
      text << fmt::format("the a{0} b{0} c{0} d{0}\n", line);
    }
    text.close();
    train("name: text, train_text: text, tokenizer: word, vocabulary: 5, context: 12, documents: " +
              documents,
          {"model.family=decoder", "model.max_positions=12", "model.preset=gpt2"});
  }
  std::string text_of(const Arguments& words) const {
    const Arguments arguments =
        Arguments{"generate", "r", "--prompt", "the", "--max-tokens", "6", "--json"} + words;
    return Json::parse(output(arguments))["text"];
  }
  Json suppressed() const {
    output({"export", "r", "out", "--overwrite"});
    return Json::parse(content_of(here / "out" / "generation_config.json"))["suppress_tokens"];
  }
  Json never_of_pytorch() const {
    output({"export", "r", "out", "--as", "pytorch", "--overwrite"});
    const TensorFile weights(here / "out/model.safetensors", Trust::any);
    return Json::parse(weights.metadata("tapehead"))["writes"]["never"];
  }
};

TEST_F(NeverWritten, is_the_unknown_mark_where_it_is_likeliest) {
  for (const std::string documents : {"file", "line"}) {
    train_on_rare_words(documents);
    const Json scored = Json::parse(output({"score", "r", "--json"}, "the b7\n"));
    ASSERT_GT(scored["tokens"].back().back(), std::log(0.5)) << scored;
    const std::string likeliest = text_of({"--temperature", "0"});
    EXPECT_THAT(likeliest, Not(HasSubstr(unknown)));
    EXPECT_EQ(text_of({"--beam", "1"}), likeliest);
    EXPECT_THAT(text_of({"--beam", "4"}), Not(HasSubstr(unknown)));
    EXPECT_THAT(output({"generate", "r", "--count", "20"}), Not(HasSubstr(unknown)));
    const bool ends = documents == "line";
    EXPECT_EQ(suppressed(), ends ? Json({0, 1}) : Json({0, 1, 2}));
    EXPECT_EQ(never_of_pytorch(), ends ? Json({0, 1}) : Json({0, 1, 2}));
  }
}

TEST_F(NeverWritten, is_the_end_mark_of_a_single_document) {
  std::ofstream(here / "text") << "one two three four five six\n";
  train("name: text, train_text: text, validation_text: text, tokenizer: word, context: 7",
        {"model.family=decoder", "model.max_positions=12"});
  for (const std::string search : {"1", "3"}) {
    const Json written = Json::parse(output({"generate", "r", "--prompt", "three four five six",
                                             "--beam", search, "--max-tokens", "2", "--json"}));
    EXPECT_EQ(written["end"], "max_tokens") << written;
  }
}

TEST_F(NeverWritten, is_the_unknown_mark_in_translations) {
  std::ofstream pairs(here / "pairs");
  for (int line = 0; line < 60; ++line) {
    pairs << fmt::format("the a{0}\tthe b{0} c{0}\n", line);
  }
  pairs.close();
  train(
      "name: parallel_text, train_tsv: pairs, validation_tsv: pairs, tokenizer: word, "
      "vocabulary: 4, max_length: 8",
      {"model.preset=vaswani", "model.max_positions=16"});
  std::ofstream(here / "source") << "the a1\n";
  std::ofstream(here / "target") << "the b1\n";
  const Json scored =
      Json::parse(output({"score", "r", "--source", "source", "--target", "target", "--json"}));
  ASSERT_GT(scored["tokens"][1].back(), std::log(0.5)) << scored;
  for (const std::string beam : {"1", "3"}) {
    EXPECT_THAT(output({"translate", "r", "--beam", beam}, "the a1\nthe\n"),
                Not(HasSubstr(unknown)));
  }
  EXPECT_EQ(output({"generate", "r", "--prompt", "the a1", "--temperature", "0"}),
            output({"translate", "r", "--beam", "1"}, "the a1\n"));
  EXPECT_EQ(suppressed(), Json({0, 1}));
  EXPECT_EQ(never_of_pytorch(), Json({0, 1}));
}

}}  // namespace tapehead
