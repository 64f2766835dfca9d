// The task parallel_text: its splits, its tokenizers, and rejected files.
#include "core/files/files.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

std::string complaint(const TaskOptions& options) {
  return message_of<DataError>([&] { make_task(options, {.seed = 1}); });
}

class ParallelText : public TestWithParam<TokenizerKind> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, ParallelText,
    Values(TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe,
           TokenizerKind::unigram, TokenizerKind::byte_bpe),
    [](const auto& kind) {
      return std::string(EnumNames<TokenizerKind>::names[static_cast<std::size_t>(kind.param)]);
    });

TEST_P(ParallelText, splits_hold_all_lines_as_tokens_and_as_text) {
  const Task task = make_task(corpus_options(GetParam()), {.seed = 1});
  EXPECT_TRUE(task.source_tokenizer->shares_file_with(*task.target_tokenizer));
  EXPECT_LE(task.source_tokenizer->size(), small_vocabulary(GetParam(), 110));
  EXPECT_EQ(task.split("train").size(), 200);
  EXPECT_EQ(task.split("train").dropped, 0);
  const Split& test = task.split("test");
  EXPECT_EQ(test.source_texts, read_lines(corpus / "test.en"));
  EXPECT_EQ(test.references, read_lines(corpus / "test.de"));
  ASSERT_EQ(test.size(), 30);
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    EXPECT_EQ(task.source_tokenizer->decode(example_of(test, i).source), test.source_texts[i]);
    EXPECT_EQ(task.target_tokenizer->decode(example_of(test, i).target), test.references[i]);
  }
}

TEST_P(ParallelText, takes_the_tokenizers_of_another_run) {
  const TemporaryDirectory other;
  const Task made = make_task(corpus_options(GetParam()), {.seed = 1, .tokenizers = other.path()});
  TaskOptions options = corpus_options(TokenizerKind::bpe);
  auto& text = options.as<ParallelTextOptions>();
  text.tokenizer_of = other.path().string();
  text.vocabulary = ParallelTextOptions().vocabulary;
  const Task taking = make_task(options, {.seed = 1});
  EXPECT_EQ(taking.source_tokenizer->size(), made.source_tokenizer->size());
  EXPECT_EQ(example_of(taking.split("train"), 0).source, example_of(made.split("train"), 0).source);
  EXPECT_EQ(example_of(taking.split("train"), 0).target, example_of(made.split("train"), 0).target);
  text.joint_vocabulary = false;
  EXPECT_THAT(complaint(options),
              HasSubstr("has one tokenizer for both sides, so task.joint_vocabulary must be true"));
}

TEST_P(ParallelText, tokenizers_that_are_there_are_loaded) {
  const TemporaryDirectory directory;
  TaskOptions options = corpus_options(GetParam());
  const Task made = make_task(options, {.seed = 1, .tokenizers = directory.path()});
  options.as<ParallelTextOptions>().vocabulary =
      small_vocabulary(GetParam(), 90);  // would give another size if a tokenizer were made
  const Task loaded = make_task(options, {.seed = 1, .tokenizers = directory.path()});
  EXPECT_EQ(loaded.source_tokenizer->size(), made.source_tokenizer->size());
  EXPECT_EQ(loaded.target_tokenizer->size(), made.target_tokenizer->size());
  EXPECT_EQ(loaded.fingerprint, made.fingerprint);
}

TEST_P(ParallelText, each_side_can_have_its_own_tokenizer) {
  const TemporaryDirectory directory;
  TaskOptions options = corpus_options(GetParam());
  options.as<ParallelTextOptions>().joint_vocabulary = false;
  options.as<ParallelTextOptions>().vocabulary = small_vocabulary(GetParam(), 70);
  const Task task = make_task(options, {.seed = 1, .tokenizers = directory.path()});
  EXPECT_FALSE(task.source_tokenizer->shares_file_with(*task.target_tokenizer));
  const std::string english = "a brown dog is sleeping .";
  EXPECT_NE(task.source_tokenizer->encode(english), task.target_tokenizer->encode(english));
  const Tokenizers loaded = load_tokenizers(directory.path());
  EXPECT_EQ(loaded.source->encode(english), task.source_tokenizer->encode(english));
  EXPECT_EQ(loaded.target->encode(english), task.target_tokenizer->encode(english));
}

TEST(ParallelTextTask, has_the_bytes_of_its_text_as_tokens) {
  TaskOptions options = corpus_options(TokenizerKind::byte);
  options.as<ParallelTextOptions>().max_length = 1000;
  const Task task = make_task(options, {.seed = 1});
  const Split& test = task.split("test");
  EXPECT_EQ(task.target_tokenizer->size(), mark_count + 256);
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    EXPECT_EQ(example_of(test, i).target.size(), test.references[i].size());
    EXPECT_EQ(task.target_tokenizer->decode(example_of(test, i).target), test.references[i]);
  }
}

TEST(ParallelTextTask, a_damaged_tokenizer_is_named) {
  const TemporaryDirectory directory;
  make_task(corpus_options(), {.seed = 1, .tokenizers = directory.path()});
  write_file_atomically(directory / "joint.model", "rubbish");
  EXPECT_THAT(io_error_of([&] {
                make_task(corpus_options(), {.seed = 1, .tokenizers = directory.path()});
              }),
              HasSubstr("joint.model is damaged"));
}

// A corpus of three TSV files for train, validation and test.
class SmallText : public Test {
 protected:
  SmallText() {
    text_.tokenizer = TokenizerKind::word;
    text_.max_length = 3;
    text_.train_tsv = write("train.tsv", "a b\tx y\n");
    text_.validation_tsv = write("validation.tsv", "a\tx\n");
  }

  std::string write(const std::string& name, std::string_view content) const {
    write_file_atomically(directory_ / name, content);
    return directory_ / name;
  }

  TemporaryDirectory directory_;
  TaskOptions options_{"parallel_text"};
  ParallelTextOptions& text_ = options_.as<ParallelTextOptions>();
};

TEST_F(SmallText, a_test_split_is_optional) {
  const Task task = make_task(options_, {.seed = 1});
  EXPECT_EQ(task.splits.size(), 2U);
  EXPECT_THAT(message_of<DataError>([&] { task.split("test"); }),
              HasSubstr("no split named test; this task has train, validation"));
}

TEST_F(SmallText, training_drops_what_is_too_long_or_empty_and_counts_it) {
  const std::string_view lines = "a b\tx y\na b c d\tx\na\tx y z x\na b c\tx y z\n\tx\na\t \n\t\n";
  text_.train_tsv = write("train.tsv", lines);
  text_.validation_tsv = write("validation.tsv", lines);
  const Task task = make_task(options_, {.seed = 1});
  EXPECT_EQ(task.split("train").size(), 2);
  EXPECT_EQ(task.split("train").dropped, 5);
  EXPECT_EQ(task.split("validation").size(), 7);
  EXPECT_EQ(task.split("validation").dropped, 0);
  EXPECT_EQ(task.split("validation").references[5], " ");
}

TEST_F(SmallText, a_corpus_without_any_pair_to_train_on_is_refused) {
  text_.train_tsv = write("train.tsv", "a b c d\tx\n\ty\n");
  EXPECT_THAT(complaint(options_), HasSubstr("train.tsv: none of the 2 pairs can be trained on"));
}

TEST_F(SmallText, faults_in_any_split_are_told_with_file_and_line) {
  text_.validation_tsv = write("validation.tsv", "a\tx\nb\n");
  EXPECT_THAT(complaint(options_), HasSubstr("validation.tsv:2: no tabs"));
  text_.validation_tsv = directory_ / "none.tsv";
  EXPECT_THAT(io_error_of([&] { make_task(options_, {.seed = 1}); }), HasSubstr("none.tsv"));
}

TEST_F(SmallText, files_that_are_not_named_are_asked_for) {
  const auto refusal = [&] {
    return message_of<ConfigError>([&] { make_task(options_, {.seed = 1}); });
  };
  text_.validation_tsv = "";
  EXPECT_THAT(refusal(), HasSubstr("parallel_text needs validation text: task.validation_source "
                                   "and task.validation_target, or task.validation_tsv"));
  text_.validation_source = "only.en";
  EXPECT_THAT(refusal(), HasSubstr("the validation text needs task.validation_target too"));
  text_.train_source = "both.en";
  EXPECT_THAT(refusal(), HasSubstr("the training text is given twice"));
}

// The types file has no header. Unknown words are reported with their line in the file, and
// references, read a second time, match the pairs.
TEST_F(SmallText, a_header_moves_all_lines_by_one) {
  const std::string before = make_task(options_, {.seed = 1}).fingerprint;
  text_.train_tsv = write("train.tsv", "source\ttarget\na b\tx y\n");
  text_.validation_tsv = write("validation.tsv", "source\ttarget\na\tx\n");
  const Logged logged;
  EXPECT_EQ(make_task(options_, {.seed = 1}).fingerprint, before);
  EXPECT_THAT(logged.text(), HasSubstr("train.tsv:1: taken for a header, and left out: "
                                       "source\\ttarget (task.header: false reads it as data)"));
  text_.validation_tsv = write("validation.tsv", "source\ttarget\na\tx\na\tz\n");
  text_.validation_types = write("validation.type", "easy\nhard\n");
  const Task task = make_task(options_, {.seed = 1});
  EXPECT_EQ(task.split("validation").line_of(1), 3);
  EXPECT_EQ(task.split("validation").unknown_target.first_line, 3);
  EXPECT_EQ(task.split("train").read_references(), std::vector<std::string>{"x y"});
  text_.header = HeaderLine::absent;
  text_.validation_types = "";
  EXPECT_EQ(make_task(options_, {.seed = 1}).split("validation").size(), 3);
}

TEST_F(SmallText, further_tests_and_types_are_read) {
  text_.validation_types = write("validation.type", "easy\n");
  text_.test_tsv = write("test.tsv", "a b\tx y\nb\ty\n");
  text_.test_types = write("test.type", "hard\neasy\n");
  text_.further_tests = {"one", "two"};
  text_.further_sources = {write("1.en", "b\na\n"), write("2.en", "b a\n")};
  text_.further_targets = {write("1.de", "y\nx\n"), write("2.de", "y x\n")};
  text_.further_types = {write("1.type", "hard\nhard\n"), ""};
  text_.type_groups = {"all = easy hard"};
  const Task task = make_task(options_, {.seed = 1});
  using Texts = std::vector<std::string>;
  EXPECT_EQ(options_.kind().splits(options_), (Texts{"train", "validation", "test", "one", "two"}));
  ASSERT_EQ(task.splits.size(), 5U);
  EXPECT_EQ(task.split("validation").types, Texts{"easy"});
  EXPECT_EQ(task.split("test").types, (Texts{"hard", "easy"}));
  EXPECT_EQ(task.split("one").source_texts, (Texts{"b", "a"}));
  EXPECT_EQ(task.split("one").references, (Texts{"y", "x"}));
  EXPECT_EQ(task.split("one").types, (Texts{"hard", "hard"}));
  EXPECT_EQ(task.split("two").source_file, text_.further_sources[1]);
  EXPECT_EQ(task.split("two").types, Texts());
  ASSERT_EQ(task.type_groups.size(), 1U);
  EXPECT_EQ(task.type_groups[0].name, "all");
  EXPECT_EQ(task.type_groups[0].types, (Texts{"easy", "hard"}));
}

TEST_F(SmallText, faults_in_types_are_told_with_file_and_line) {
  text_.test_tsv = write("test.tsv", "a b\tx y\nb\ty\n");
  text_.test_types = write("test.type", "hard\n");
  EXPECT_THAT(complaint(options_), AllOf(HasSubstr("test.type:1: the file ends here, but "),
                                         HasSubstr("test.tsv has 2 lines")));
  text_.test_types = write("test.type", "hard\neasy\nhard\n");
  EXPECT_THAT(complaint(options_), HasSubstr("test.type:3: the file ends here, but "));
  text_.test_types = write("test.type", "hard\n\n");
  EXPECT_THAT(complaint(options_), HasSubstr("test.type:2: an empty line"));
  text_.test_types = directory_ / "none.type";
  EXPECT_THAT(io_error_of([&] { make_task(options_, {.seed = 1}); }),
              AllOf(HasSubstr("task.test_types"), HasSubstr("none.type")));
  text_.test_types = "";
  text_.further_tests = {"one"};
  text_.further_sources = {directory_ / "none.en"};
  text_.further_targets = {write("1.de", "x\n")};
  EXPECT_THAT(io_error_of([&] { make_task(options_, {.seed = 1}); }),
              HasSubstr("task.further_sources"));
}

TEST_F(SmallText, groups_are_of_types_that_exist) {
  text_.validation_types = write("validation.type", "easy\n");
  text_.type_groups = {"some = easy heavy"};
  EXPECT_THAT(complaint(options_),
              HasSubstr("task.type_groups: some: no example has the type heavy "
                        "(there are easy)"));
  text_.type_groups = {"easy = easy"};
  EXPECT_THAT(complaint(options_), HasSubstr("task.type_groups: easy is the name of a type"));
}

TEST_F(SmallText, normalisation_needs_sentencepiece) {
  text_.normalization = Normalization::nfkc;
  EXPECT_THAT(message_of<ConfigError>([&] { make_task(options_, {.seed = 1}); }),
              HasSubstr("task.normalization: has no effect with task.tokenizer"));
}

TEST_F(SmallText, the_fingerprint_covers_tokens_and_texts) {
  const std::string original = make_task(options_, {.seed = 1}).fingerprint;
  EXPECT_EQ(original.size(), 16U);
  EXPECT_EQ(make_task(options_, {.seed = 2}).fingerprint, original);
  const auto with = [&](std::string_view train, std::string_view validation) {
    text_.train_tsv = write("train.tsv", train);
    text_.validation_tsv = write("validation.tsv", validation);
    return make_task(options_, {.seed = 1}).fingerprint;
  };
  EXPECT_EQ(with("a b\tx y\n", "a\tx\n"), original);
  EXPECT_NE(with("b a\tx y\n", "a\tx\n"), original);
  EXPECT_NE(with("a b\ty x\n", "a\tx\n"), original);
  EXPECT_NE(with("a b\tx y\n", "a \tx\n"), original);  // although the tokens are the same
  EXPECT_NE(with("a b\tx y\n", "a\tx \n"), original);
}

}}  // namespace tapehead
