// Which outputs are exactly right: with spaces and characters that the tokenizer does not keep.
#include "train/evaluation/references.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "datasets/make_task.hpp"
#include "datasets/text/options.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead {
namespace {

// A task whose validation has these targets.
class References : public ::testing::Test {
 protected:
  Task task_with(TokenizerKind kind, const std::vector<std::string>& targets) const {
    std::ofstream train(here / "train.txt");
    for (int i = 0; i < 40; ++i) {
      train << "ab cd ef\nfine gh\nab  ef\n";
    }
    train.close();
    std::ofstream validation(here / "validation.txt");
    for (const std::string& target : targets) {
      validation << target << '\n';
    }
    validation.close();
    TaskOptions options("parallel_text");
    auto& text = options.as<ParallelTextOptions>();
    text.train_source = text.train_target = here / "train.txt";
    text.validation_source = text.validation_target = here / "validation.txt";
    text.tokenizer = kind;
    text.vocabulary = 20;
    if (kind == TokenizerKind::bpe) {
      text.normalization = Normalization::nfkc;
    }
    return make_task(options, 1);
  }
  // What a model writes that says every token right.
  static std::vector<std::string> tokens_as_text(const Task& task, const Split& split) {
    std::vector<std::string> outputs;
    for (const Example& example : split.examples) {
      outputs.push_back(task.target_tokenizer->decode(example.target));
    }
    return outputs;
  }

  TemporaryDirectory here;
};

using Right = std::vector<bool>;

TEST_F(References, spaces_that_no_token_holds_make_nothing_wrong) {
  for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::bpe}) {
    std::vector<std::string> targets{"ab  cd", "ab cd ", "  ab cd", "ab cd"};
    if (kind == TokenizerKind::word) {
      targets.emplace_back("ab\tcd");  // to SentencePiece a tab is a character, here unknown
    }
    const Task task = task_with(kind, targets);
    const Split& split = task.split("validation");
    const std::vector<std::string> outputs = tokens_as_text(task, split);
    EXPECT_EQ(outputs, std::vector<std::string>(targets.size(), "ab cd"));
    EXPECT_EQ(first_references(task, split, outputs.size()), targets) << "as BLEU gets them";
    EXPECT_EQ(right_sequences(task, split, outputs), Right(targets.size(), true));
    EXPECT_EQ(right_sequences(task, split, std::vector<std::string>(targets.size(), "abcd")),
              Right(targets.size(), false));
  }
}

TEST_F(References, spaces_that_tokens_hold_count) {
  const Task task = task_with(TokenizerKind::character, {"ab  ef", "ab ef"});
  const Split& split = task.split("validation");
  EXPECT_EQ(right_sequences(task, split, {"ab  ef", "ab ef"}), (Right{true, true}));
  EXPECT_EQ(right_sequences(task, split, {"ab ef", "ab  ef"}), (Right{false, false}));
}

// Normalisation writes the ligature of f and i as two letters.
TEST_F(References, a_character_that_the_tokenizer_reads_as_another_counts_as_that_one) {
  const Task task = task_with(TokenizerKind::bpe, {"\uFB01ne gh", "fine gh"});
  const Split& split = task.split("validation");
  EXPECT_EQ(right_sequences(task, split, {"fine gh", "fine gh"}), (Right{true, true}));
  EXPECT_EQ(right_sequences(task, split, {"\uFB01ne gh", "\uFB01ne gh"}), (Right{true, false}));
}

TEST_F(References, what_is_unknown_is_never_right) {
  for (const TokenizerKind kind :
       {TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe}) {
    const Task task = task_with(kind, {"ab \u0416"});
    const Split& split = task.split("validation");
    const std::vector<std::string> outputs = tokens_as_text(task, split);
    EXPECT_NE(outputs.front().find("\u2047"), std::string::npos) << outputs.front();
    EXPECT_EQ(right_sequences(task, split, outputs), Right{false});
  }
}

TEST_F(References, of_a_split_without_texts_are_its_tokens) {
  const Task task = task_with(TokenizerKind::word, {"ab"});
  const Split& train = task.split("train");
  EXPECT_EQ(right_sequences(task, train, {"ab cd ef", "fine", "ab ef"}),
            (Right{true, false, true}));
}

}  // namespace
}  // namespace tapehead
