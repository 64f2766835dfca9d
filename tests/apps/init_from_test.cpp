// Starts from the weights of another run. With another vocabulary, rows are matched by their texts.
#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class InitFrom : public ProgramRuns {
 protected:
  // Lines of 1 to 5 of the words; source and target are equal.
  void write_corpus(const std::string& name, const std::vector<std::string>& words) const {
    std::ofstream text(here / (name + ".txt"));
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j <= i % 5; ++j) {
        text << (j > 0 ? " " : "") << words[(i + j * 3) % words.size()];
      }
      text << '\n';
    }
  }
  ProgramResult train(const std::string& run, const std::string& corpus,
                      const Arguments& overrides = {}) const {
    const std::string file = corpus + ".txt";
    std::ofstream(here / (run + ".yaml"))
        << "task: {name: parallel_text, train_source: " << file << ", train_target: " << file
        << ", validation_source: " << file << ", validation_target: " << file
        << ", tokenizer: word, vocabulary: 100}\n"
           "model: {d_model: 16, layers: 1}\n"
           "training: {steps: 5, batch_tokens: 100, learning_rate: 0}\n"
           "run: {report: false}\n";
    Arguments arguments{"train", run + ".yaml", "--run", run};
    set_options(arguments, overrides);
    return here.run(arguments);
  }
  std::vector<float> table(const std::string& run, const std::string& name) const {
    const TensorFile file(best(run));
    std::vector<float> numbers(file.bytes(name).size() / sizeof(float));
    copy_values(file.entry(name), std::span(numbers));
    return numbers;
  }
  fs::path best(const std::string& run) const {
    return here / run / "checkpoints/best.safetensors";
  }

  // Compares rows of entries that both runs have; with a learning rate of 0 they do not change.
  void expect_rows_by_text(const std::string& name, Index width = 16) const {
    const Tokenizers first = load_tokenizers(here / "first");
    const Tokenizers second = load_tokenizers(here / "second");
    const std::vector<float> from = table("first", name);
    const std::vector<float> to = table("second", name);
    Index equal = 0;
    for (Index i = 0; i < second.source->size(); ++i) {
      for (Index j = 0; j < first.source->size(); ++j) {
        if (second.source->entry(static_cast<TokenId>(i)) ==
            first.source->entry(static_cast<TokenId>(j))) {
          EXPECT_TRUE(std::equal(to.begin() + width * i, to.begin() + width * (i + 1),
                                 from.begin() + width * j))
              << name << " " << i;
          ++equal;
        }
      }
    }
    EXPECT_EQ(equal, 3 + 3);  // the marks, ab, cd and ef
  }
};

TEST_F(InitFrom, rows_of_the_same_entries_are_taken_over) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"kl", "ef", "cd", "mn", "ab", "op", "qr"});
  ASSERT_EQ(train("first", "one").exit_code, 0);
  const ProgramResult second = train("second", "two", {"model.init_from=first", "seed=2"});
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.errors,
              AllOf(HasSubstr("starting from the weights of first"),
                    HasSubstr("its source vocabulary differs: 3 of 7 entries are in both"),
                    HasSubstr("its target vocabulary differs: 3 of 7 entries are in both")));
  for (const char* name : {"source.embedding", "target.embedding", "output.weight"}) {
    expect_rows_by_text(name);
  }
  EXPECT_EQ(table("second", "encoder.layers.0.self.query.weight"),
            table("first", "encoder.layers.0.self.query.weight"));
}

TEST_F(InitFrom, so_are_biases_of_the_output) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"kl", "ef", "cd", "mn", "ab", "op", "qr"});
  ASSERT_EQ(
      train("first", "one", {"model.bias_output=true", "training.learning_rate=0.01"}).exit_code,
      0);
  const ProgramResult second =
      train("second", "two", {"model.bias_output=true", "model.init_from=first"});
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  const std::vector<float> bias = table("first", "output.bias");
  EXPECT_EQ(std::ranges::count(bias, 0.0F), 0) << "so equal ones were taken over";
  expect_rows_by_text("output.bias", 1);
}

TEST_F(InitFrom, so_are_those_of_tied_tables) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"kl", "ef", "cd", "mn", "ab", "op", "qr"});
  const Arguments tied{"model.tie_embeddings=all", "task.joint_vocabulary=true"};
  ASSERT_EQ(train("first", "one", tied).exit_code, 0);
  Arguments from_first = tied;
  from_first.insert(from_first.end(), {"model.init_from=first", "seed=2"});
  const ProgramResult second = train("second", "two", from_first);
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  expect_rows_by_text("target.embedding");
}

// Equally many entries, in tables of equal shapes.
TEST_F(InitFrom, equal_shapes_are_no_equal_vocabularies) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"ij", "gh", "ef", "cd", "xy"});
  ASSERT_EQ(train("first", "one").exit_code, 0);
  const ProgramResult second = train("second", "two", {"model.init_from=first", "seed=2"});
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("4 of 5 entries are in both"));
}

TEST_F(InitFrom, vocabularies_with_nothing_in_common_are_refused) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"AB", "CD", "EF", "GH", "IJ"});
  ASSERT_EQ(train("first", "one").exit_code, 0);
  const ProgramResult second = train("second", "two", {"model.init_from=first"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.errors, HasSubstr("of the 5 entries of the source vocabulary it has none"));
  EXPECT_FALSE(fs::exists(here / "second"));
}

TEST_F(InitFrom, the_same_vocabulary_is_not_worth_a_word) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  ASSERT_EQ(train("first", "one").exit_code, 0);
  const ProgramResult second = train("second", "one", {"model.init_from=first", "seed=2"});
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.errors, AllOf(HasSubstr("starting from the weights of first\n"),
                                   Not(HasSubstr("vocabulary differs"))));
}

TEST_F(InitFrom, options_that_change_the_meaning_of_weights_are_named) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  ASSERT_EQ(train("first", "one").exit_code, 0);
  for (const auto& [override, told] : std::vector<std::pair<std::string, std::string>>{
           {"model.activation=gelu", "model.activation: relu, not gelu"},
           {"model.norm_position=post", "model.norm_position: pre, not post"},
           {"model.positions=none", "model.positions: sinusoidal, not none"},
           {"model.heads=2", "cross.heads: 4, not 2 and 9 more"},
           {"attention.pattern=window 2", "encoder_self.pattern: full, not window 2"},
           {"attention.positions=rotary", "decoder_self.positions: none, not rotary"}}) {
    const ProgramResult second = train("second", "one", {"model.init_from=first", override});
    EXPECT_EQ(second.exit_code, 1) << override;
    EXPECT_THAT(second.errors, HasSubstr(told)) << override;
  }
}

// A run's tokenizer was replaced by another of the same size: checkpoints must reject it.
TEST_F(InitFrom, a_checkpoint_of_another_tokenizer_is_refused) {
  write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
  write_corpus("two", {"ij", "gh", "ef", "cd", "xy"});
  const Arguments apart{"task.joint_vocabulary=false"};
  ASSERT_EQ(train("first", "one", apart).exit_code, 0);
  ASSERT_EQ(train("second", "two", apart).exit_code, 0);
  fs::copy_file(here / "second/source.vocabulary", here / "first/source.vocabulary",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(
      here.refusal(1, {"evaluate", "first", "--split", "validation"}),
      AllOf(HasSubstr("best.safetensors comes from another"), HasSubstr("source tokenizer")));
}

class InitFromTinyRun : public TinyRuns {};

TEST_F(InitFromTinyRun, weights_of_another_model_are_no_start) {
  train(tiny_training("first"));
  // The shapes are equal, but the numbers would have another meaning.
  EXPECT_THAT(refusal(1, tiny_training("a", {"model.init_from=first", "model.heads=2"})),
              AllOf(HasSubstr("cannot start from the weights of first: its model differs ("),
                    HasSubstr("cross.heads: 4, not 2 and 9 more)")));
  EXPECT_THAT(run(tiny_training("a", {"model.init_from=first", "cross.positions=none",
                                      "attention.positions=alibi"}))
                  .errors,
              HasSubstr("differs (decoder_self.positions: none, not alibi; "
                        "encoder_self.positions: none, not alibi)"));
  EXPECT_FALSE(fs::exists(here / "a"));
  train(tiny_training(
      "b", {"model.init_from=first", "model.dropout=0.3", "seed=2", "attention.head_dropout=0.1"}));
}

TEST_F(InitFromTinyRun, without_a_best_the_last_weights_are_a_start) {
  train(tiny_training("first"));
  fs::remove(here / "first/checkpoints/best.safetensors");
  train(tiny_training("a", {"model.init_from=first"}));
  for (const std::string& file : checkpoint_names(here / "first")) {
    fs::remove(here / "first/checkpoints" / file);
  }
  EXPECT_THAT(refusal(1, tiny_training("b", {"model.init_from=first"})),
              HasSubstr("run first has no weights to start from"));
}

}}  // namespace tapehead
