// Which outputs are correct, including spaces and characters that the tokenizer does not preserve.
#include "train/evaluation/breakdowns.hpp"

#include "datasets/make_task.hpp"
#include "datasets/text/parallel_options.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Right = std::vector<bool>;
using Texts = std::vector<std::string>;

Right right_sequences(const Task& task, const Split& split, const Texts& outputs) {
  return mapped(compared_outputs(task, split, outputs), &ExampleScore::right);
}

// A task whose validation split has these targets.
class References : public Test {
 protected:
  TaskOptions options_with(TokenizerKind kind, const Texts& targets, Index vocabulary) const {
    Texts train;
    for (int i = 0; i < 40; ++i) {
      train.insert(train.end(), {"ab cd ef", "fine gh", "ab  ef"});
    }
    std::ofstream(here / "train.txt") << fmt::format("{}\n", fmt::join(train, "\n"));
    std::ofstream(here / "validation.txt") << fmt::format("{}\n", fmt::join(targets, "\n"));
    TaskOptions options("parallel_text");
    auto& text = options.as<ParallelTextOptions>();
    text.train_source = text.train_target = here / "train.txt";
    text.validation_source = text.validation_target = here / "validation.txt";
    text.tokenizer = kind;
    text.vocabulary = vocabulary;
    if (kind == TokenizerKind::bpe) {
      text.normalization = Normalization::nfkc;
    }
    return options;
  }
  Task task_with(TokenizerKind kind, const Texts& targets, Index vocabulary = 20) const {
    return make_task(options_with(kind, targets, vocabulary), {.seed = 1});
  }
  static Split first_of(Split split, Index examples) {
    split.source = first_examples(split, examples).source;
    return split;
  }
  // The outputs of a model that predicts every token correctly.
  static Texts tokens_as_text(const Task& task, const Split& split) {
    return mapped(examples_of(split), [&](const Example& example) {
      return task.target_tokenizer->decode(example.target);
    });
  }

  TemporaryDirectory here;
};

TEST_F(References, spaces_that_no_token_holds_make_nothing_wrong) {
  for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::bpe}) {
    Texts targets{"ab  cd", "ab cd ", "  ab cd", "ab cd"};
    if (kind == TokenizerKind::word) {
      targets.emplace_back("ab\tcd");  // a tab is an unknown character to SentencePiece
    }
    const Task task = task_with(kind, targets);
    const Split& split = task.split("validation");
    const Texts outputs = tokens_as_text(task, split);
    EXPECT_EQ(outputs, Texts(targets.size(), "ab cd"));
    EXPECT_EQ(first_references(task, split, outputs.size()), targets) << "as BLEU gets them";
    EXPECT_EQ(right_sequences(task, split, outputs), Right(targets.size(), true));
    EXPECT_EQ(right_sequences(task, split, Texts(targets.size(), "abcd")),
              Right(targets.size(), false));
  }
}

// Normalisation by the tokenizer of the kind bpe replaces the ligature fi by two letters.
TEST_F(References, count_spaces_and_characters_as_the_tokenizer_reads_them) {
  struct Case {
    TokenizerKind kind;
    Texts targets;
    Texts outputs;
    Right right;
  };
  for (const auto& [kind, targets, outputs, right] : std::vector<Case>{
           {TokenizerKind::character, {"ab  ef", "ab ef"}, {"ab  ef", "ab ef"}, {true, true}},
           {TokenizerKind::character, {"ab  ef", "ab ef"}, {"ab ef", "ab  ef"}, {false, false}},
           {TokenizerKind::bpe, {"\uFB01ne gh", "fine gh"}, {"fine gh", "fine gh"}, {true, true}},
           {TokenizerKind::bpe,
            {"\uFB01ne gh", "fine gh"},
            {"\uFB01ne gh", "\uFB01ne gh"},
            {true, false}}}) {
    const Task task = task_with(kind, targets);
    EXPECT_EQ(right_sequences(task, task.split("validation"), outputs), right)
        << fmt::format("{}", outputs);
  }
}

TEST_F(References, what_is_unknown_is_never_right) {
  for (const TokenizerKind kind :
       {TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe}) {
    const Task task = task_with(kind, {"ab \u0416"});
    const Split& split = task.split("validation");
    const Texts outputs = tokens_as_text(task, split);
    EXPECT_NE(outputs.front().find("\u2047"), std::string::npos) << outputs.front();
    EXPECT_EQ(right_sequences(task, split, outputs), Right{false});
  }
}

// Three marks and the two most frequent words, ab and ef.
constexpr Index two_words = 5;

TEST_F(References, of_the_training_split_are_its_texts_or_else_its_tokens) {
  const Task task = task_with(TokenizerKind::word, {"ab"}, two_words);
  Split train = first_of(task.split("train"), 3);
  const Texts outputs = tokens_as_text(task, train);
  EXPECT_EQ(first_references(task, train, 3), (Texts{"ab cd ef", "fine gh", "ab  ef"}));
  EXPECT_EQ(right_sequences(task, train, outputs), (Right{false, false, true}));
  train.read_references = nullptr;
  EXPECT_EQ(first_references(task, train, 3), outputs);
  EXPECT_EQ(right_sequences(task, train, outputs), (Right{false, false, true}));
}

TEST_F(References, of_the_training_split_are_those_that_were_not_dropped) {
  TaskOptions options = options_with(TokenizerKind::word, {"ab"}, two_words);
  options.as<ParallelTextOptions>().max_length = 2;  // drops "ab cd ef"
  const Task task = make_task(options, {.seed = 1});
  const Split& train = task.split("train");
  EXPECT_EQ(train.dropped, 40);
  EXPECT_EQ(first_references(task, train, 3), (Texts{"fine gh", "ab  ef", "fine gh"}));
  std::ofstream(here / "train.txt", std::ios::app) << "ab\n";
  EXPECT_THROW(first_references(task, train, 3), DataError);
}

// An output has at most max_extra_length tokens more than its source with the end mark.
TEST_F(References, that_are_longer_than_outputs_can_be_are_counted) {
  Examples pairs;
  for (const std::size_t length : {3, 4, 5, 6}) {
    pairs.push_back({.source = {3, 3}, .target = std::vector<TokenId>(length, 3)});
  }
  const auto said = [&](Index max_extra_length, const Layout& layout = {}) {
    EvaluationOptions options;
    options.max_extra_length = max_extra_length;
    const Logged log;
    say_cut_references(split_of_pairs(pairs, layout, "test"), options);
    return log.text();
  };
  EXPECT_THAT(said(1), AllOf(HasSubstr("test split: 2 of 4 references are longer"),
                             HasSubstr("evaluation.max_extra_length allows 1 tokens"),
                             HasSubstr("3 would be enough")));
  EXPECT_EQ(said(3), "");
  EXPECT_EQ(said(1, {.input = InputRows::source}), "");  // as many labels as tokens
}

}}  // namespace tapehead
