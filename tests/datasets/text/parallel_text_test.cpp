// The task parallel_text: its splits, its tokenizers, and rejected files. Aligned text: pairs of
// lines, and files whose lines do not pair.
#include "datasets/make_task.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

class ParallelText : public TestWithParam<TokenizerKind> {
 protected:
  Task make() const { return make_task(options_, {.seed = 1, .tokenizers = directory_.path()}); }

  const TemporaryDirectory directory_;
  TaskOptions options_ = corpus_options(GetParam());
  ParallelTextOptions& text_ = options_.as<ParallelTextOptions>();
};

INSTANTIATE_TEST_SUITE_P(Kinds, ParallelText,
                         Values(TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe,
                                TokenizerKind::unigram, TokenizerKind::byte_bpe),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(ParallelText, holds_all_lines_as_tokens_of_tokenizers_that_are_made_loaded_or_taken) {
  const Task made = make();
  EXPECT_TRUE(made.source_tokenizer->shares_file_with(*made.target_tokenizer));
  EXPECT_LE(made.source_tokenizer->size(), small_vocabulary(GetParam(), 110));
  EXPECT_EQ(made.split("train").size(), 200);
  EXPECT_EQ(made.split("train").dropped, 0);
  const Split& test = made.split("test");
  EXPECT_EQ(test.source_texts, read_lines(corpus / "test.en"));
  EXPECT_EQ(test.references, read_lines(corpus / "test.de"));
  ASSERT_EQ(test.size(), 30);
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    EXPECT_EQ(made.source_tokenizer->decode(example_of(test, i).source), test.source_texts[i]);
    EXPECT_EQ(made.target_tokenizer->decode(example_of(test, i).target), test.references[i]);
  }

  text_.vocabulary = small_vocabulary(GetParam(), 90);  // gives another size if one is made
  const Task loaded = make();
  EXPECT_EQ(loaded.source_tokenizer->size(), made.source_tokenizer->size());
  EXPECT_EQ(loaded.target_tokenizer->size(), made.target_tokenizer->size());
  EXPECT_EQ(loaded.fingerprint, made.fingerprint);

  text_.tokenizer = TokenizerKind::bpe;
  text_.tokenizer_of = directory_.path().string();
  text_.vocabulary = ParallelTextOptions().vocabulary;
  const Task taking = make_task(options_, {.seed = 1});
  EXPECT_EQ(taking.source_tokenizer->size(), made.source_tokenizer->size());
  const Example taken = example_of(taking.split("train"), 0);
  EXPECT_EQ(taken.source, example_of(made.split("train"), 0).source);
  EXPECT_EQ(taken.target, example_of(made.split("train"), 0).target);
  text_.joint_vocabulary = false;
  EXPECT_THAT(message_of<DataError>([&] { make_task(options_, {.seed = 1}); }),
              HasSubstr("has one tokenizer for both sides, so task.joint_vocabulary must be true"));
}

TEST_P(ParallelText, each_side_can_have_its_own_tokenizer) {
  text_.joint_vocabulary = false;
  text_.vocabulary = small_vocabulary(GetParam(), 70);
  const Task task = make();
  EXPECT_FALSE(task.source_tokenizer->shares_file_with(*task.target_tokenizer));
  const std::string english = "a brown dog is sleeping .";
  EXPECT_NE(task.source_tokenizer->encode(english), task.target_tokenizer->encode(english));
  const Tokenizers loaded = load_tokenizers(directory_.path());
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

// A corpus of three TSV files for train, validation and test.
class SmallText : public Test {
 protected:
  SmallText() {
    text_.tokenizer = TokenizerKind::word;
    text_.max_length = 3;
    use("a b\tx y\n", "a\tx\n");
  }

  void use(std::string_view train, std::string_view validation) {
    text_.train_tsv = here_.write("train.tsv", train);
    text_.validation_tsv = here_.write("validation.tsv", validation);
  }
  Task make(std::uint64_t seed = 1) const { return make_task(options_, {.seed = seed}); }
  template <class Error>
  std::string refusal() const {
    return message_of<Error>([&] { make(); });
  }

  const TemporaryDirectory here_;
  TaskOptions options_{"parallel_text"};
  ParallelTextOptions& text_ = options_.as<ParallelTextOptions>();
};

TEST_F(SmallText, training_drops_what_is_too_long_or_empty_and_counts_it) {
  const std::string_view lines = "a b\tx y\na b c d\tx\na\tx y z x\na b c\tx y z\n\tx\na\t \n\t\n";
  use(lines, lines);
  const Task task = make();
  EXPECT_EQ(task.splits.size(), 2U) << "a test split is optional";
  EXPECT_THAT(message_of<DataError>([&] { task.split("test"); }),
              HasSubstr("no split named test; this task has train, validation"));
  EXPECT_EQ(task.split("train").size(), 2);
  EXPECT_EQ(task.split("train").dropped, 5);
  EXPECT_EQ(task.split("validation").size(), 7);
  EXPECT_EQ(task.split("validation").dropped, 0);
  EXPECT_EQ(task.split("validation").references[5], " ");
  use("a b c d\tx\n\ty\n", lines);
  EXPECT_THAT(refusal<DataError>(), HasSubstr("train.tsv: none of the 2 pairs can be trained on"));
}

TEST_F(SmallText, faults_in_any_file_are_told_with_its_place) {
  text_.normalization = Normalization::nfkc;
  EXPECT_THAT(refusal<ConfigError>(),
              HasSubstr("task.normalization: has no effect with task.tokenizer"));
  text_.normalization = Normalization::identity;
  use("a b\tx y\n", "a\tx\nb\n");
  EXPECT_THAT(refusal<DataError>(), HasSubstr("validation.tsv:2: no tabs"));
  text_.validation_tsv = here_ / "none.tsv";
  EXPECT_THAT(refusal<IoError>(), HasSubstr("none.tsv"));
  text_.validation_tsv = "";  // against a rule of the task
  EXPECT_THAT(refusal<ConfigError>(), HasSubstr("parallel_text needs validation text"));
}

TEST_F(SmallText, a_damaged_tokenizer_is_named) {
  text_.tokenizer = TokenizerKind::bpe;
  here_.write("joint.model", "rubbish");
  EXPECT_THAT(io_error_of([&] { make_task(options_, {.seed = 1, .tokenizers = here_.path()}); }),
              HasSubstr("joint.model is damaged"));
}

// The types file has no header. Unknown words are reported with their line in the file, and
// references, read a second time, match the pairs.
TEST_F(SmallText, a_header_moves_all_lines_by_one) {
  const std::string before = make().fingerprint;
  use("source\ttarget\na b\tx y\n", "source\ttarget\na\tx\n");
  const Logged logged;
  EXPECT_EQ(make().fingerprint, before);
  EXPECT_THAT(logged.text(), HasSubstr("train.tsv:1: skipped as a header: "
                                       "source\\ttarget (task.header: false reads it as data)"));
  use("source\ttarget\na b\tx y\n", "source\ttarget\na\tx\na\tz\n");
  text_.validation_types = here_.write("validation.type", "easy\nhard\n");
  const Task task = make();
  EXPECT_EQ(task.split("validation").lines[1], 3);
  EXPECT_EQ(task.split("validation").unknown_target.first_line, 3);
  EXPECT_THAT(task.split("train").read_references(), ElementsAre("x y"));
  text_.header = HeaderLine::absent;
  text_.validation_types = "";
  EXPECT_EQ(make().split("validation").size(), 3);
}

TEST_F(SmallText, further_tests_and_types_are_read) {
  text_.validation_types = here_.write("validation.type", "easy\n");
  text_.test_tsv = here_.write("test.tsv", "a b\tx y\nb\ty\n");
  text_.test_types = here_.write("test.type", "hard\neasy\n");
  text_.further_tests = {"one", "two"};
  text_.further_sources = {here_.write("1.en", "b\na\n"), here_.write("2.en", "b a\n")};
  text_.further_targets = {here_.write("1.de", "y\nx\n"), here_.write("2.de", "y x\n")};
  text_.further_types = {here_.write("1.type", "hard\nhard\n"), ""};
  text_.type_groups = {"all = easy hard"};
  const Task task = make();
  EXPECT_THAT(options_.kind().splits(options_),
              ElementsAre("train", "validation", "test", "one", "two"));
  ASSERT_EQ(task.splits.size(), 5U);
  EXPECT_THAT(task.split("validation").types, ElementsAre("easy"));
  EXPECT_THAT(task.split("test").types, ElementsAre("hard", "easy"));
  const Split& one = task.split("one");
  EXPECT_THAT(one.source_texts, ElementsAre("b", "a"));
  EXPECT_THAT(one.references, ElementsAre("y", "x"));
  EXPECT_THAT(one.types, ElementsAre("hard", "hard"));
  EXPECT_EQ(task.split("two").source_file, text_.further_sources[1]);
  EXPECT_THAT(task.split("two").types, IsEmpty());
  ASSERT_EQ(task.type_groups.size(), 1U);
  EXPECT_EQ(task.type_groups[0].name, "all");
  EXPECT_THAT(task.type_groups[0].types, ElementsAre("easy", "hard"));
}

TEST_F(SmallText, faults_in_types_and_their_groups_are_told) {
  text_.test_tsv = here_.write("test.tsv", "a b\tx y\nb\ty\n");
  for (const auto& [types, error] : std::map<std::string, std::string>{
           {"hard\n", "test.type:1: the file ends here, but "},
           {"hard\neasy\nhard\n", "test.type:3: the file ends here, but "},
           {"hard\n\n", "test.type:2: an empty line"}}) {
    text_.test_types = here_.write("test.type", types);
    EXPECT_THAT(refusal<DataError>(), HasSubstr(error));
  }
  text_.test_types = here_.write("test.type", "hard\n");
  EXPECT_THAT(refusal<DataError>(), HasSubstr("test.tsv has 2 lines"));
  text_.test_types = here_ / "none.type";
  EXPECT_THAT(refusal<IoError>(), AllOf(HasSubstr("task.test_types"), HasSubstr("none.type")));
  text_.test_types = "";
  text_.validation_types = here_.write("validation.type", "easy\n");
  text_.type_groups = {"some = easy heavy"};
  EXPECT_THAT(refusal<DataError>(), HasSubstr("task.type_groups: some: no example has the type "
                                              "heavy (there are easy)"));
  text_.type_groups = {"easy = easy"};
  EXPECT_THAT(refusal<DataError>(), HasSubstr("task.type_groups: easy is the name of a type"));
  text_.type_groups.clear();
  text_.further_tests = {"one"};
  text_.further_sources = {here_ / "none.en"};
  text_.further_targets = {here_.write("1.de", "x\n")};
  EXPECT_THAT(refusal<IoError>(), HasSubstr("task.further_sources"));
}

TEST_F(SmallText, the_fingerprint_covers_tokens_and_texts) {
  const std::string original = make().fingerprint;
  EXPECT_EQ(original.size(), 16U);
  EXPECT_EQ(make(2).fingerprint, original);
  for (const auto& [train, validation] :
       {std::pair{"b a\tx y\n", "a\tx\n"},
        {"a b\ty x\n", "a\tx\n"},
        {"a b\tx y\n", "a \tx\n"},  // although the tokens are the same
        {"a b\tx y\n", "a\tx \n"}}) {
    use(train, validation);
    EXPECT_NE(make().fingerprint, original) << train << validation;
  }
  use("a b\tx y\n", "a\tx\n");
  EXPECT_EQ(make().fingerprint, original);
}

AlignedText aligned(std::string_view content, HeaderLine header = HeaderLine::automatic) {
  const TemporaryDirectory here;
  return read_pairs(here.write("pairs.tsv", content), header);
}

TEST(AlignedText, a_tab_parts_source_and_target_and_a_first_line_of_names_is_a_header) {
  const AlignedText text = aligned("one\teins\r\n\tzwei\nthree\t\n");
  EXPECT_THAT(text.source, ElementsAre("one", "", "three"));
  EXPECT_THAT(text.target, ElementsAre("eins", "zwei", ""));
  for (const std::string header :
       {"source\ttarget", "Sentence_1\tTRANSLATION ", "src\ttgt", "en\tde", "English\tGerman"}) {
    EXPECT_THAT(aligned(header + "\none\teins\n").source, ElementsAre("one"));
    EXPECT_EQ(aligned(header + "\none\teins\n", HeaderLine::absent).source.size(), 2U);
    EXPECT_EQ(aligned(header + "\n").source.size(), 1U) << "nothing follows it";
  }
  for (const std::string first : {"text\tText ist da", "a source\ttarget", "\t", "one\teins"}) {
    EXPECT_EQ(aligned(first + "\ntwo\tzwei\n").source.size(), 2U) << first;
    EXPECT_THAT(aligned(first + "\ntwo\tzwei\n", HeaderLine::present).source, ElementsAre("two"));
  }
}

TEST(AlignedText, two_files_pair_line_by_line_and_what_does_not_pair_is_refused) {
  for (const auto& [content, error, header] :
       {std::tuple{"a\tb\nc d\n", "pairs.tsv:2: no tabs, where source, one tab ",
                   HeaderLine::automatic},
        {"a\tb\tc\n", "pairs.tsv:1: 2 tabs, where source, one tab ", HeaderLine::automatic},
        {"one\teins\n", "pairs.tsv:1: nothing follows the header (task.header)",
         HeaderLine::present}}) {
    EXPECT_THAT([&] { aligned(content, header); }, throws<DataError>(error));
  }
  const TemporaryDirectory directory;
  const std::string a = directory.write("a", "one\n\nthree\n");
  const std::string b = directory.write("b", "eins\r\nzwei\r\ndrei");
  const AlignedText text = read_aligned_files(a, b);
  EXPECT_THAT(text.source, ElementsAre("one", "", "three"));
  EXPECT_THAT(text.target, ElementsAre("eins", "zwei", "drei"));
  directory.write("b", "eins\nzwei\n");
  const std::string end = b + ":2: the file ends here, but ";
  EXPECT_THAT([&] { read_aligned_files(a, b); },
              throws<DataError>(end + a + " has 3 lines and " + b + " has 2;"));
  EXPECT_THAT([&] { read_aligned_files(b, a); },
              throws<DataError>(end + b + " has 2 lines and " + a + " has 3;"));
}

}}  // namespace tapehead
