// The task labelled_text: the examples of its splits, and rejected files.
#include "datasets/make_task.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr std::string_view four = "a b\tyes\nb c\tno way\nc d e\tyes\nd\tno way\n";

class LabelledText : public Test {
 protected:
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(here_ / name) << content;
    return (here_ / name).string();
  }

  TaskOptions options(std::string_view train = four, std::string_view validation = four) const {
    TaskOptions options("labelled_text");
    auto& text = options.as<LabelledTextOptions>();
    text.train_tsv = write("train.tsv", train);
    text.validation_tsv = write("validation.tsv", validation);
    return options;
  }

  std::string complaint(const TaskOptions& options) const {
    return message_of<DataError>([&] { make_task(options, {.seed = 1}); });
  }

  TemporaryDirectory here_;
};

TEST_F(LabelledText, has_texts_and_the_numbers_of_their_classes) {
  const Task task = make_task(options(), {.seed = 1});
  const Split& validation = task.split("validation");
  EXPECT_EQ(validation.kind, ExampleKind::labels);
  EXPECT_THAT(validation.source_texts, ElementsAre("a b", "b c", "c d e", "d"));
  EXPECT_THAT(validation.references, ElementsAre("yes", "no way", "yes", "no way"));
  const auto& classes = dynamic_cast<const ClassTokenizer&>(*task.target_tokenizer);
  EXPECT_THAT(classes.classes(), ElementsAre("no way", "yes"));  // sorted by bytes
  EXPECT_THAT(example_of(validation, 2).target, ElementsAre(1));
  EXPECT_EQ(task.source_tokenizer->decode(example_of(validation, 2).source), "c d e");
}

TEST_F(LabelledText, is_the_same_from_two_files) {
  TaskOptions two("labelled_text");
  auto& text = two.as<LabelledTextOptions>();
  text.train_text = write("texts", "a b\nb c\nc d e\nd\n");
  text.train_labels = write("labels", "yes\nno way\nyes\nno way\n");
  text.validation_text = text.train_text;
  text.validation_labels = text.train_labels;
  EXPECT_EQ(make_task(two, {.seed = 1}).fingerprint, make_task(options(), {.seed = 1}).fingerprint);
}

TEST_F(LabelledText, leaves_out_white_space_around_a_class) {
  const Task task =
      make_task(options("a b\tyes \nb c\tno way\nc d e\t yes\nd\t no way  \n"), {.seed = 1});
  EXPECT_EQ(task.fingerprint, make_task(options(), {.seed = 1}).fingerprint);
  EXPECT_EQ(task.target_tokenizer->size(), 2);
  TaskOptions two("labelled_text");
  auto& text = two.as<LabelledTextOptions>();
  text.train_text = text.validation_text = write("texts", "a\nb\n");
  text.train_labels = write("labels", "yes\t\nno\n");
  text.validation_labels = write("other_labels", " no\nyes\n");
  EXPECT_THAT(make_task(two, {.seed = 1}).split("validation").references, ElementsAre("no", "yes"));
}

struct FirstLine {
  std::string_view line;
  HeaderLine header;
  bool left_out;
};

// A header has column names, or a class on no other line although other classes repeat.
TEST_F(LabelledText, leaves_out_a_header) {
  constexpr auto automatic = HeaderLine::automatic;
  for (const auto& [line, header, left_out] :
       {FirstLine{"sentence\tlabel", automatic, true}, FirstLine{"Satz\tKlasse", automatic, true},
        FirstLine{"text\tyes", automatic, false}, FirstLine{"e\tyes ", automatic, false},
        FirstLine{"sentence\tlabel", HeaderLine::absent, false},
        FirstLine{"e\tyes", HeaderLine::present, true}}) {
    const std::string train = std::string(line) + '\n' + std::string(four);
    TaskOptions with = options(train, train);
    with.as<LabelledTextOptions>().header = header;
    const Logged logged;
    const Task task = make_task(with, {.seed = 1});
    SCOPED_TRACE(line);
    EXPECT_EQ(task.split("train").size(), left_out ? 4 : 5);
    EXPECT_EQ(task.split("validation").size(), left_out ? 4 : 5);
    EXPECT_EQ(task.split("validation").line_of(0), left_out ? 2 : 1);
    const auto said = logged.text().find("train.tsv:1: taken for a header, and left out: ");
    EXPECT_EQ(said != std::string::npos, left_out && header == automatic);
  }
}

TEST_F(LabelledText, takes_no_class_for_a_header_that_other_lines_or_splits_have) {
  EXPECT_EQ(make_task(options("a\tyes\nb\tno\n", "a\tyes\nb\tno\nc\tno\n"), {.seed = 1})
                .split("validation")
                .size(),
            3);
  EXPECT_EQ(make_task(options(four, "a\tyes\nb\tno way\nc\tno way\n"), {.seed = 1})
                .split("validation")
                .size(),
            3);
  EXPECT_EQ(
      make_task(options(four, "a\tKlasse\nb\tno way\n"), {.seed = 1}).split("validation").size(),
      1);
  EXPECT_THAT(complaint(options(four, "text\tclass\na\tyes\nb\tmaybe\n")),
              HasSubstr("validation.tsv:3: the class `maybe` is on no line of the training"));
  EXPECT_THAT(complaint(options("text\tclass\na\tyes\nb\t \n")),
              HasSubstr("train.tsv:3: the class is empty"));
}

TEST_F(LabelledText, keeps_its_tokenizers_in_the_run) {
  const Task made = make_task(options(), {.seed = 1, .tokenizers = here_ / "run"});
  const Tokenizers kept = load_tokenizers(here_ / "run");
  EXPECT_EQ(kept.source->size(), made.source_tokenizer->size());
  EXPECT_EQ(kept.target->entry(0), "no way");
  EXPECT_EQ(kept.target->size(), 2);
}

std::string many_examples(Index count) {
  std::string text;
  for (Index i = 0; i < count; ++i) {
    text += "word" + std::to_string(i) + (i % 2 == 0 ? "\teven\n" : "\todd\n");
  }
  return text;
}

TEST_F(LabelledText, holds_out_a_share_for_validation_and_trains_on_a_share_of_the_rest) {
  TaskOptions shared = options(many_examples(200));
  auto& text = shared.as<LabelledTextOptions>();
  text.validation_tsv = "";
  text.validation_share = 0.2;
  text.train_share = 0.25;
  const Task task = make_task(shared, {.seed = 1});
  EXPECT_EQ(task.split("train").size(), 40);
  EXPECT_EQ(task.split("validation").size(), 40);
  std::set<std::string> held_out(task.split("validation").source_texts.begin(),
                                 task.split("validation").source_texts.end());
  for (const Example& example : examples_of(task.split("train"))) {
    EXPECT_FALSE(held_out.contains(task.source_tokenizer->decode(example.source)));
  }
  EXPECT_NE(make_task(shared, {.seed = 2}).fingerprint, task.fingerprint);  // drawn by seed
}

// Ten classes: one has a single example, another has two.
TEST_F(LabelledText, never_draws_the_only_example_of_a_class_for_validation) {
  std::string text = "a\tonce\nb\ttwice\nc\ttwice\n";
  for (Index i = 0; i < 16; ++i) {
    text += "w\tclass" + std::to_string(i % 8) + "\n";
  }
  TaskOptions shared = options(text);
  shared.as<LabelledTextOptions>().header = HeaderLine::absent;
  shared.as<LabelledTextOptions>().validation_tsv = "";
  shared.as<LabelledTextOptions>().validation_share = 0.9;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Task task = make_task(shared, {.seed = seed});
    EXPECT_EQ(task.target_tokenizer->size(), 10);
    EXPECT_EQ(task.split("train").size(), 10);
    EXPECT_EQ(task.split("validation").size(), 9) << "as many as can be spared";
  }
}

TEST_F(LabelledText, puts_a_mark_between_two_texts_and_cuts_the_longer) {
  TaskOptions pairs = options("a b c d\te\tyes\na\tb\tno\n", "a\tb c\tno\n");
  auto& text = pairs.as<LabelledTextOptions>();
  text.texts = 2;
  text.max_length = 3;
  const Task task = make_task(pairs, {.seed = 1});
  const auto id = [&](const char* word) { return task.source_tokenizer->encode(word).front(); };
  EXPECT_THAT(example_of(task.split("train"), 0).source,
              ElementsAre(id("a"), id("b"), end_id, id("e")));
  EXPECT_THAT(example_of(task.split("validation"), 0).source,
              ElementsAre(id("a"), end_id, id("b"), id("c")));
}

TEST_F(LabelledText, drops_tokens_anew_in_each_epoch) {
  TaskOptions dropping = options(many_examples(400), many_examples(2));
  dropping.as<LabelledTextOptions>().token_dropout = 0.25;
  const Task task = make_task(dropping, {.seed = 1});
  const auto dropped = [&](Index epoch) {
    std::vector<Index> examples;
    const auto split = task.training(epoch);
    for (Index i = 0; i < split->size(); ++i) {
      if (example_of(*split, i).source.front() == unknown_id) {
        examples.push_back(i);
      }
    }
    return examples;
  };
  EXPECT_NEAR(static_cast<double>(dropped(0).size()), 100, 5 * 8.7);  // √(400 · .25 · .75)
  EXPECT_EQ(dropped(0), dropped(0));
  EXPECT_NE(dropped(0), dropped(1));
}

TEST_F(LabelledText, takes_the_tokenizer_of_another_run) {
  make_task(options("x y\tp\ny z\tq\n", "x\tp\n"), {.seed = 1, .tokenizers = here_ / "other"});
  TaskOptions taking = options();
  taking.as<LabelledTextOptions>().tokenizer_of = (here_ / "other").string();
  const Task task = make_task(taking, {.seed = 1});
  EXPECT_NE(task.source_tokenizer->encode("y").front(), unknown_id);
  EXPECT_EQ(task.source_tokenizer->encode("a").front(), unknown_id);
}

TEST_F(LabelledText, counts_what_is_unknown_and_says_on_which_line) {
  const Task task = make_task(options(four, "a b\tyes\nc\tno way\nd x\tyes\n"), {.seed = 1});
  EXPECT_EQ(describe(task.split("validation").unknown_source),
            "1 of 5 tokens is unknown to its vocabulary, on 1 line; the first is `x`, on line 3");
}

TEST_F(LabelledText, refuses_lines_with_other_columns) {
  EXPECT_THAT(complaint(options("a b\tyes\nc\n")),
              AllOf(HasSubstr("train.tsv:2: 1 column with tabs between them, where 2 are expected"),
                    HasSubstr("task.texts: 2")));
  EXPECT_THAT(complaint(options(four, "a\tb\tyes\n")), HasSubstr("validation.tsv:1: 3 columns"));
  TaskOptions two("labelled_text");
  two.as<LabelledTextOptions>().train_text = write("texts", "a\nb\nc\n");
  two.as<LabelledTextOptions>().train_labels = write("labels", "x\ny\n");
  EXPECT_THAT(complaint(two), AllOf(HasSubstr("labels:2: the file ends here"), HasSubstr("3 texts"),
                                    HasSubstr("2 classes")));
}

TEST_F(LabelledText, refuses_classes_that_cannot_be_learned) {
  EXPECT_THAT(complaint(options(four, "a\tyes\nb\tmaybe\n")),
              HasSubstr("validation.tsv:2: the class `maybe` is on no line of the training"));
  EXPECT_THAT(complaint(options("a\tyes\nb\tyes\n")),
              HasSubstr("all 2 training examples have the class `yes`"));
  EXPECT_THAT(complaint(options("a\tyes\nb\t \n")), HasSubstr("train.tsv:2: the class is empty"));
}

TEST_F(LabelledText, keeps_an_empty_text) {
  const Task task = make_task(options("\tyes\nb\tno\n", "\tno\n"), {.seed = 1});
  EXPECT_TRUE(example_of(task.split("train"), 0).source.empty());
  EXPECT_EQ(task.split("validation").size(), 1);
}

}}  // namespace tapehead
