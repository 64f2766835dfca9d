// `tapehead tokenize`: the tokens of texts and their ids, as a run's models read them.
#include "core/files/json_text.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Tokenize : public ProgramRuns {
 protected:
  // A translation run with a joint vocabulary; its weights do not matter.
  void train() {
    Arguments arguments{"train", "copied.yaml", "--run", "a"};
    std::ofstream(here / "copied.yaml")
        << "task: {name: parallel_text, train_source: " << source_ << ", train_target: " << target_
        << ", validation_source: " << source_ << ", validation_target: " << target_
        << ", vocabulary: 110}\n"
        << "model: {d_model: 4, d_ff: 4, layers: 1, heads: 1}\n"
        << "training: {steps: 1}\nrun: {report: false}\n";
    output(arguments);
  }

  std::string source_ = (corpus / "train.en").string();
  std::string target_ = (corpus / "train.de").string();
};

TEST_F(Tokenize, prints_what_both_sides_of_a_run_read) {
  train();
  const Tokenizers sides = load_tokenizers(here / "a");
  const std::string text = "a man in the street";
  for (const bool target : {false, true}) {
    const Tokenizer& tokenizer = target ? *sides.target : *sides.source;
    const std::vector<TokenId> ids = tokenizer.encode(text);
    Json tokens = Json::array();
    std::string line;
    for (const TokenId id : ids) {
      tokens.push_back(tokenizer.entry(id));
      line += (line.empty() ? "" : "\t") + tokenizer.entry(id) + " " + std::to_string(id);
    }
    Arguments arguments{"tokenize", "a", text};
    if (target) {
      arguments.emplace_back("--target");
    }
    EXPECT_EQ(output(arguments), line + "\n");
    arguments.emplace_back("--json");
    EXPECT_EQ(Json::parse(output(arguments)),
              Json({{"text", text}, {"tokens", tokens}, {"ids", ids}}));
  }
  EXPECT_NE(sides.source->encode(text), sides.target->encode(text)) << "the sides are no different";
}

TEST_F(Tokenize, reads_texts_files_and_standard_input) {
  train();
  const std::string both = output({"tokenize", "a", "a man", "in"});
  EXPECT_EQ(output({"tokenize", "a"}, "a man\nin\n"), both);
  std::ofstream(here / "lines") << "a man\nin\n";
  EXPECT_EQ(output({"tokenize", "a", "--input", "lines"}), both);
  EXPECT_EQ(output({"tokenize", "a"}, "\n"), "\n") << "a text without tokens";
  fs::remove_all(here / "a" / "checkpoints");
  EXPECT_EQ(output({"tokenize", "a", "a man", "in"}), both) << "no weights are needed";
}

TEST_F(Tokenize, names_what_is_unknown_and_what_is_missing) {
  train();
  EXPECT_THAT(run({"tokenize", "a", "a man", "~"}).errors, HasSubstr("the command line: 1 of"));
  EXPECT_THAT(run({"tokenize", "a", "~"}).errors, HasSubstr("the first is `~`, on line 1"));
  const ProgramResult twice = run({"tokenize", "a", "a man", "--input", "lines"});
  EXPECT_EQ(twice.exit_code, 2) << twice.output;
  EXPECT_THAT(refusal(1, {"tokenize", "b", "a man"}), HasSubstr("b"));
}

}}  // namespace tapehead
