// Parallel text from two files of sentences to translations, also with subword dropout, which cuts
// the sources anew in each epoch; and `tokenize`, which shows the tokens of texts.
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Text : public ProgramRuns {
 protected:
  static inline const std::string training = "train text.yaml --run ";

  void SetUp() override {
    fs::copy(TAPEHEAD_FIXTURES "/text", here / "data");
    write_config("data");
  }
  void write_config(const std::string& data) {
    here.write("text.yaml",
               "task: {name: parallel_text, vocabulary: 120" + pair_files(data) +
                   "}\nmodel: {d_model: 16, layers: 1, dropout: 0, tie_embeddings: all}\n"
                   "training: {batch_tokens: 256, steps: 40, learning_rate: 5e-3, "
                   "checkpoint_every: 20}\nevaluation: {every: 40, max_extra_length: 10}\n");
  }

  void train(const std::string& name, const Arguments& overrides = {}) {
    Arguments arguments = CommandLine(training + name);
    set_options(arguments, overrides);
    messages(arguments);
  }
  void append(const std::string& file, const std::string& text) {
    std::ofstream(here / "data" / file, std::ios::app) << text;
  }
};

TEST_F(Text, pieces_words_and_characters_give_usable_runs) {
  const Arguments few{"task.joint_vocabulary=false", "model.tie_embeddings=none",
                      "training.steps=10", "training.checkpoint_every=10", "evaluation.every=10"};
  struct Case {
    std::string tokenizer;
    Arguments overrides;
    std::string vocabulary = "60";
  };
  for (const auto& [tokenizer, overrides, vocabulary] :
       {Case{"bpe", {}, "120"}, Case{"unigram", few}, Case{"word", few}, Case{"character", few},
        Case{"byte_bpe", few, "300"}, Case{"word_piece", few}}) {
    train(tokenizer,
          overrides + Arguments{"task.tokenizer=" + tokenizer, "task.vocabulary=" + vocabulary});
    // Translates 30 sentences, whatever the model has learnt.
    const auto metrics = json_of("evaluate --json " + tokenizer);
    EXPECT_EQ(metrics["examples"], 30);
    EXPECT_GT(metrics["loss"], 0);
    const std::string output = here.output("translate --input data/test.en " + tokenizer);
    EXPECT_EQ(std::ranges::count(output, '\n'), 30);
  }
  EXPECT_TRUE(fs::exists(here / "bpe/joint.model"));
  // Translating needs no data.
  fs::rename(here / "bpe", here / "moved");
  fs::remove_all(here / "data");
  EXPECT_EQ(output("translate moved", "a man is running\n\n").back(), '\n');
}

TEST_F(Text, the_run_does_not_depend_on_where_the_data_lies_or_how) {
  train("one");
  ASSERT_EQ(std::system(("cd '" + here.path().string() +
                         "/data' && paste train.en train.de > train.tsv && gzip -k test.en")
                            .c_str()),
            0);
  train("packed", {"task.train_source=", "task.train_target=", "task.train_tsv=data/train.tsv",
                   "task.test_source=data/test.en.gz"});
  fs::rename(here / "data", here / "moved");
  write_config("moved");
  train("two");
  for (const std::string other : {"packed", "two"}) {
    expect_same_runs(here / "one", here / other);
    expect_same_file(here / "one/joint.model", here / other / "joint.model");
  }
}

// The corpus has 200 training pairs and 30 test lines.
TEST_F(Text, pairs_too_long_are_counted_in_training_and_refused_elsewhere_with_their_place) {
  std::string line;
  for (int i = 0; i < 1024; ++i) {
    line += "mann ";
  }
  append("train.en", "\na man\n\n" + line.substr(0, 101 * 5) + "\n");  // 101 words
  append("train.de", "ein mann\n\n\nein mann\n");
  EXPECT_THAT(messages(training + "a --set training.steps=2"),
              HasSubstr("4 of 204 training pairs dropped: 1 longer than 100 tokens, 3 with an "
                        "empty side\n"));
  append("test.de", line + "\n");
  append("test.en", "a man\n");
  expect_refusals({{training + "b", 1, {"data/test.de:31: ", "set model.max_positions to "}}});
  EXPECT_FALSE(fs::exists(here / "b"));
}

TEST_F(Text, a_run_is_gone_on_with_its_own_tokenizers_only) {
  train("one");
  const std::string resume = training + "one --resume --set task.";
  expect_refusals({{resume + "vocabulary=110", 2, {"(task.vocabulary: "}},
                   {resume + "normalization=nfkc", 2, {"(task.normalization: "}},
                   {resume + "character_coverage=0.99", 2, {"(task.character_coverage: "}}});
}

// The target tokens of each batch over several epochs: longer sources give other batches.
std::vector<Index> tokens_of_epochs(const Config& config, Index epochs) {
  const Task task = make_task(config.task, {.seed = config.seed});
  std::vector<Index> tokens;
  for (Index epoch = 0; epoch < epochs; ++epoch) {
    const std::shared_ptr<const Source> source = task.training(epoch);
    for (const std::vector<Index>& batch :
         epoch_batches(*source, config.training.batching(), config.seed, epoch)) {
      tokens.push_back(static_cast<Index>(pack(*source, batch).labels.count()));
    }
  }
  return tokens;
}

class SubwordDropoutRun : public ProgramRuns {
 protected:
  void SetUp() override {
    here.write("text.yaml",
               "task: {name: parallel_text, vocabulary: 120, subword_dropout: 0.3" + pair_files() +
                   "}\nmodel: {d_model: 16, layers: 1}\ntraining: {batch_tokens: 300, epochs: 3, "
                   "schedule: constant, checkpoint_every: 4}\n"
                   "evaluation: {decode: false, metric: loss, every: 4}\nrun: {report: false}\n");
  }
  void train(const std::string& run, const std::string& options = "") {
    here.output("train text.yaml --run " + run + options);
  }
  Config config() const { return load_config(here / "text.yaml").config; }
};

TEST_F(SubwordDropoutRun, trains_on_other_cuts_in_each_epoch) {
  train("a");
  std::vector<Index> tokens;
  for (const std::string& text : lines_of(content_of(here / "a/metrics.jsonl"))) {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("tokens")) {
      tokens.push_back(line["tokens"]);
    }
  }
  EXPECT_EQ(tokens, tokens_of_epochs(config(), 3));
}

TEST_F(SubwordDropoutRun, goes_on_in_the_middle_of_a_later_epoch) {
  const auto first_epoch = static_cast<int>(tokens_of_epochs(config(), 1).size());
  const int middle = (first_epoch / 4 + 1) * 4;  // in the second epoch, where all runs evaluate
  const auto until = [](int steps) { return fmt::format(" --set training.steps={}", steps); };
  train("unbroken", until(middle + 4));
  train("broken", until(middle));
  train("broken", " --resume" + until(middle + 4));
  expect_same_runs(here / "unbroken", here / "broken");
}

class Tokenize : public ProgramRuns {
 protected:
  // A translation run with a joint vocabulary; its weights do not matter.
  void SetUp() override {
    here.write("copied.yaml", "task: {name: parallel_text, vocabulary: 110" + pair_files() +
                                  "}\nmodel: {d_model: 4, d_ff: 4, layers: 1, heads: 1}\n"
                                  "training: {steps: 1}\nrun: {report: false}\n");
    output("train copied.yaml --run a");
  }
};

TEST_F(Tokenize, prints_what_both_sides_of_a_run_read) {
  const Tokenizers sides = load_tokenizers(here / "a");
  const std::string text = "a man in the street";
  for (const auto& [tokenizer, options] :
       {std::pair(sides.source, Arguments{}), std::pair(sides.target, Arguments{"--target"})}) {
    const std::vector<TokenId> ids = tokenizer->encode(text);
    std::vector<std::string> tokens;
    std::vector<std::string> pairs;
    for (const TokenId id : ids) {
      tokens.push_back(tokenizer->entry(id));
      pairs.push_back(fmt::format("{} {}", tokens.back(), id));
    }
    const Arguments arguments = Arguments{"tokenize", "a", text} + options;
    EXPECT_EQ(output(arguments), fmt::format("{}\n", fmt::join(pairs, "\t")));
    EXPECT_EQ(json_of(arguments + Arguments{"--json"}),
              nlohmann::json({{"text", text}, {"tokens", tokens}, {"ids", ids}}));
  }
  EXPECT_NE(sides.source->encode(text), sides.target->encode(text)) << "the sides are no different";
}

TEST_F(Tokenize, reads_texts_files_and_standard_input) {
  const Arguments texts{"tokenize", "a", "a man", "in"};
  const std::string both = output(texts);
  EXPECT_EQ(output("tokenize a", "a man\nin\n"), both);
  here.write("lines", "a man\nin\n");
  EXPECT_EQ(output("tokenize a --input lines"), both);
  EXPECT_EQ(output("tokenize a", "\n"), "\n") << "a text without tokens";
  const std::string unknown = run({"tokenize", "a", "a man", "~"}).errors;
  EXPECT_THAT(unknown, HasSubstr("the command line: 1 of"));
  EXPECT_THAT(run("tokenize a ~").errors, HasSubstr("the first is `~`, on line 1"));
  expect_refusals({{texts + Arguments{"--input", "lines"}, 2, {}}, {"tokenize b man", 1, {"b"}}});
  std::filesystem::remove_all(here / "a" / "checkpoints");
  EXPECT_EQ(output(texts), both) << "no weights are needed";
}

}}  // namespace tapehead
