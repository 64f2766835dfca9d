// Parallel text from two files of sentences to translations.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Text : public ProgramRuns {
 protected:
  void SetUp() override {
    fs::create_directory(here / "data");
    for (const auto& entry : fs::directory_iterator(TAPEHEAD_FIXTURES "/text")) {
      fs::copy(entry.path(), here / "data");
    }
    std::ofstream(here / "text.yaml") << R"(
task:
  name: parallel_text
  train_source: data/train.en
  train_target: data/train.de
  validation_source: data/validation.en
  validation_target: data/validation.de
  test_source: data/test.en
  test_target: data/test.de
  vocabulary: 120
model: {d_model: 16, layers: 1, dropout: 0, tie_embeddings: all}
training: {batch_tokens: 256, steps: 40, learning_rate: 5e-3, checkpoint_every: 20}
evaluation: {every: 40, max_extra_length: 10}
)";
  }

  ProgramResult run(const Arguments& arguments, const std::string& input = "") {
    ProgramResult result = here.run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  void train(const std::string& name, const Arguments& overrides = {}) {
    Arguments arguments{"train", "text.yaml", "--run", name};
    set_options(arguments, overrides);
    run(arguments);
  }
  // Translates 30 sentences, whatever the model has learnt.
  void expect_usable(const std::string& name) {
    const auto metrics = nlohmann::json::parse(run({"evaluate", name, "--json"}).output);
    EXPECT_EQ(metrics["examples"], 30);
    EXPECT_GT(metrics["loss"], 0);
    const std::string output = run({"translate", name, "--input", "data/test.en"}).output;
    EXPECT_EQ(std::ranges::count(output, '\n'), 30);
  }
};

TEST_F(Text, joint_pieces) {
  train("a");
  expect_usable("a");
  EXPECT_TRUE(fs::exists(here / "a/joint.model"));
}

TEST_F(Text, separate_pieces_words_and_characters) {
  for (const std::string tokenizer : {"unigram", "word", "character", "byte_bpe", "word_piece"}) {
    train(tokenizer, {"task.tokenizer=" + tokenizer, "task.joint_vocabulary=false",
                      tokenizer == "byte_bpe" ? "task.vocabulary=300" : "task.vocabulary=60",
                      "model.tie_embeddings=none", "training.steps=10",
                      "training.checkpoint_every=10", "evaluation.every=10"});
    expect_usable(tokenizer);
  }
}

TEST_F(Text, the_same_seed_gives_the_same_bits) {
  train("one");
  train("two");
  expect_same_runs(here / "one", here / "two");
  expect_same_file(here / "one/joint.model", here / "two/joint.model");
}

TEST_F(Text, the_run_does_not_depend_on_where_the_data_lies) {
  train("one");
  fs::rename(here / "data", here / "moved");
  Arguments moved;
  for (const std::string split : {"train", "validation", "test"}) {
    moved.push_back("task." + split + "_source=moved/" + split + ".en");
    moved.push_back("task." + split + "_target=moved/" + split + ".de");
  }
  train("two", moved);
  expect_same_runs(here / "one", here / "two");
}

TEST_F(Text, a_held_out_line_without_positions_is_refused_with_its_place) {
  std::ofstream lines(here / "data/test.de", std::ios::app);
  for (int i = 0; i < 1024; ++i) {
    lines << "mann ";
  }
  lines << '\n';
  lines.close();
  std::ofstream(here / "data/test.en", std::ios::app) << "a man\n";
  const ProgramResult refused = here.run({"train", "text.yaml", "--run", "a"});
  EXPECT_EQ(refused.exit_code, 1);
  // The corpus has 30 test lines.
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("data/test.de:31: "), HasSubstr("set model.max_positions to ")));
  EXPECT_FALSE(fs::exists(here / "a"));
}

TEST_F(Text, without_a_test_split_the_next_command_still_works) {
  const Arguments no_test{"task.test_source=", "task.test_target="};
  Arguments arguments{"train", "text.yaml", "--run", "my run"};
  set_options(arguments, no_test);
  EXPECT_THAT(run(arguments).errors, HasSubstr("evaluate 'my run' --split validation\n"));
  run({"evaluate", "my run", "--split", "validation"});
}

TEST_F(Text, pairs_that_cannot_be_trained_on_are_counted_and_said) {
  std::ofstream source(here / "data/train.en", std::ios::app);
  std::ofstream target(here / "data/train.de", std::ios::app);
  source << "\na man\n\n";
  for (int i = 0; i < 101; ++i) {
    source << "a ";
  }
  source << '\n';
  target << "ein mann\n\n\nein mann\n";
  source.close();
  target.close();
  // The corpus has 200 pairs.
  EXPECT_THAT(
      run({"train", "text.yaml", "--run", "a", "--set", "training.steps=2"}).errors,
      HasSubstr("4 of 204 training pairs dropped: 1 longer than 100 tokens, 3 with an empty "
                "side\n"));
}

TEST_F(Text, compressed_and_tab_separated_text_gives_the_same_run) {
  train("plain");
  ASSERT_EQ(std::system(("cd '" + here.path().string() +
                         "/data' && paste train.en train.de > train.tsv && gzip test.en && "
                         "rm train.en train.de")
                            .c_str()),
            0);
  train("other", {"task.train_source=", "task.train_target=", "task.train_tsv=data/train.tsv",
                  "task.test_source=data/test.en.gz"});
  expect_same_runs(here / "plain", here / "other");
}

TEST_F(Text, evaluating_on_other_data_is_said) {
  train("a");
  run({"evaluate", "a"});
  std::ofstream(here / "data/test.en", std::ios::app) << "one more line\n";
  std::ofstream(here / "data/test.de", std::ios::app) << "eine zeile mehr\n";
  EXPECT_EQ(here.run({"evaluate", "a"}).exit_code, 1);
  EXPECT_THAT(run({"evaluate", "a", "--data", ".", "--other-data"}).errors,
              HasSubstr("was trained with other data than . holds"));
}

TEST_F(Text, translating_needs_no_data) {
  train("a");
  fs::rename(here / "a", here / "b");
  fs::remove_all(here / "data");
  EXPECT_EQ(run({"translate", "b"}, "a man is running\n\n").output.back(), '\n');
}

TEST_F(Text, a_run_is_gone_on_with_its_own_data_only) {
  train("a");
  fs::remove(step_checkpoint(here / "a", 40));
  std::ofstream(here / "data/train.en", std::ios::app) << "one more line\n";
  std::ofstream(here / "data/train.de", std::ios::app) << "eine zeile mehr\n";
  EXPECT_THAT(here.refusal(1, {"train", "text.yaml", "--run", "a", "--resume"}),
              HasSubstr("other data"));
}

TEST_F(Text, a_run_is_gone_on_with_its_own_tokenizers_only) {
  train("a");
  for (const auto& [option, value] : {std::pair("vocabulary", "110"),
                                      {"normalization", "nfkc"},
                                      {"character_coverage", "0.99"}}) {
    Arguments resumed{"train", "text.yaml", "--run", "a", "--resume"};
    set_options(resumed, {fmt::format("task.{}={}", option, value)});
    const ProgramResult result = here.run(resumed);
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.errors, HasSubstr(fmt::format("(task.{}: ", option)));
  }
}

TEST_F(Text, resumes_to_the_same_bits) {
  train("one");
  fs::copy(here / "one", here / "two", fs::copy_options::recursive);
  fs::remove(step_checkpoint(here / "two", 40));
  run({"train", "text.yaml", "--run", "two", "--resume"});
  expect_same_runs(here / "one", here / "two");
}

}}  // namespace tapehead
