// The tasks labelled_text and tagged_text: the examples of their splits, and rejected files.
#include "datasets/make_task.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

const std::string four = "a b\tyes\nb c\tno way\nc d e\tyes\nd\tno way\n";

class LabelledText : public Test {
 protected:
  LabelledText() { use(four); }

  void use(const std::string& train, const std::string& validation = four) {
    text_.train_tsv = here_.write("train.tsv", train);
    text_.validation_tsv = here_.write("validation.tsv", validation);
  }
  void use_two_files(const std::string& texts, const std::string& labels,
                     const std::string& validation_labels) {
    text_.train_tsv = text_.validation_tsv = "";
    text_.train_text = text_.validation_text = here_.write("texts", texts);
    text_.train_labels = here_.write("labels", labels);
    text_.validation_labels = here_.write("validation_labels", validation_labels);
  }
  Task make(std::uint64_t seed = 1) const { return make_task(options_, {.seed = seed}); }
  std::string complaint() const {
    return message_of<DataError>([&] { make(); });
  }

  const TemporaryDirectory here_;
  TaskOptions options_{"labelled_text"};
  LabelledTextOptions& text_ = options_.as<LabelledTextOptions>();
};

TEST_F(LabelledText, has_texts_and_the_numbers_of_their_classes) {
  const Task task = make_task(options_, {.seed = 1, .tokenizers = here_ / "run"});
  const Split& validation = task.split("validation");
  EXPECT_EQ(validation.kind, ExampleKind::labels);
  EXPECT_THAT(validation.source_texts, ElementsAre("a b", "b c", "c d e", "d"));
  EXPECT_THAT(validation.references, ElementsAre("yes", "no way", "yes", "no way"));
  EXPECT_EQ(task.target_tokenizer->size(), 2);
  EXPECT_EQ(task.target_tokenizer->decode({0, 1}), "no way yes");  // sorted by bytes
  EXPECT_THAT(example_of(validation, 2).target, ElementsAre(1));
  EXPECT_EQ(task.source_tokenizer->decode(example_of(validation, 2).source), "c d e");
  const Tokenizers kept = load_tokenizers(here_ / "run");
  EXPECT_EQ(kept.source->size(), task.source_tokenizer->size());
  EXPECT_EQ(kept.target->entry(0), "no way");
  EXPECT_EQ(kept.target->size(), 2);
}

TEST_F(LabelledText, is_the_same_from_two_files_and_with_white_space_around_a_class) {
  const std::string fingerprint = make().fingerprint;
  use("a b\tyes \nb c\tno way\nc d e\t yes\nd\t no way  \n");
  EXPECT_EQ(make().fingerprint, fingerprint);
  EXPECT_EQ(make().target_tokenizer->size(), 2);
  const std::string labels = "yes\nno way\nyes\nno way\n";
  use_two_files("a b\nb c\nc d e\nd\n", labels, labels);
  EXPECT_EQ(make().fingerprint, fingerprint);
  use_two_files("a\nb\n", "yes\t\nno\n", " no\nyes\n");
  EXPECT_THAT(make().split("validation").references, ElementsAre("no", "yes"));
}

struct FirstLine {
  std::string line;
  HeaderLine header;
  bool left_out;
};

// A header has column names, or a class on no other line although other classes repeat.
TEST_F(LabelledText, leaves_out_a_header) {
  constexpr auto automatic = HeaderLine::automatic;
  for (const auto& [line, header, left_out] : {FirstLine{"sentence\tlabel", automatic, true},
                                               {"Satz\tKlasse", automatic, true},
                                               {"text\tyes", automatic, false},
                                               {"e\tyes ", automatic, false},
                                               {"sentence\tlabel", HeaderLine::absent, false},
                                               {"e\tyes", HeaderLine::present, true}}) {
    SCOPED_TRACE(line);
    use(line + '\n' + four, line + '\n' + four);
    text_.header = header;
    const Logged logged;
    const Task task = make();
    EXPECT_EQ(task.split("train").size(), left_out ? 4 : 5);
    EXPECT_EQ(task.split("validation").size(), left_out ? 4 : 5);
    EXPECT_EQ(task.split("validation").lines[0], left_out ? 2 : 1);
    const auto said = logged.text().find("train.tsv:1: skipped as a header: ");
    EXPECT_EQ(said != std::string::npos, left_out && header == automatic);
  }
}

TEST_F(LabelledText, takes_no_class_for_a_header_that_other_lines_or_splits_have) {
  for (const auto& [train, validation, size] :
       {std::tuple<std::string, std::string, Index>{"a\tyes\nb\tno\n", "a\tyes\nb\tno\nc\tno\n", 3},
        {four, "a\tyes\nb\tno way\nc\tno way\n", 3},
        {four, "a\tKlasse\nb\tno way\n", 1},
        {"\tyes\nb\tno\n", "\tno\n", 1}}) {
    use(train, validation);
    EXPECT_EQ(make().split("validation").size(), size) << validation;
  }
  EXPECT_THAT(example_of(make().split("train"), 0).source, IsEmpty()) << "an empty text stays";
}

std::string many_examples(Index count) {
  std::string text;
  for (Index i = 0; i < count; ++i) {
    text += "word" + std::to_string(i) + (i % 2 == 0 ? "\teven\n" : "\todd\n");
  }
  return text;
}

TEST_F(LabelledText, holds_out_a_share_for_validation_and_trains_on_a_share_of_the_rest) {
  use(many_examples(200));
  text_.validation_tsv = "";
  text_.validation_share = 0.2;
  text_.train_share = 0.25;
  const Task task = make();
  EXPECT_EQ(task.split("train").size(), 40);
  EXPECT_EQ(task.split("validation").size(), 40);
  for (const Example& example : examples_of(task.split("train"))) {
    EXPECT_THAT(task.split("validation").source_texts,
                Not(Contains(task.source_tokenizer->decode(example.source))));
  }
  EXPECT_NE(make(2).fingerprint, task.fingerprint);  // drawn by seed
}

// Ten classes: one has a single example, another has two.
TEST_F(LabelledText, never_draws_the_only_example_of_a_class_for_validation) {
  std::string text = "a\tonce\nb\ttwice\nc\ttwice\n";
  for (Index i = 0; i < 16; ++i) {
    text += "w\tclass" + std::to_string(i % 8) + "\n";
  }
  use(text);
  text_.header = HeaderLine::absent;
  text_.validation_tsv = "";
  text_.validation_share = 0.9;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Task task = make(seed);
    EXPECT_EQ(task.target_tokenizer->size(), 10);
    EXPECT_EQ(task.split("train").size(), 10);
    EXPECT_EQ(task.split("validation").size(), 9) << "as many as can be spared";
  }
}

TEST_F(LabelledText, puts_a_mark_between_two_texts_and_cuts_the_longer) {
  use("a b c d\te\tyes\na\tb\tno\n", "a\tb c\tno\n");
  text_.texts = 2;
  text_.max_length = 3;
  const Task task = make();
  const auto id = [&](const char* word) { return task.source_tokenizer->encode(word).front(); };
  EXPECT_THAT(example_of(task.split("train"), 0).source,
              ElementsAre(id("a"), id("b"), end_id, id("e")));
  EXPECT_THAT(example_of(task.split("validation"), 0).source,
              ElementsAre(id("a"), end_id, id("b"), id("c")));
}

TEST_F(LabelledText, drops_tokens_anew_in_each_epoch) {
  use(many_examples(400), many_examples(2));
  text_.token_dropout = 0.25;
  const Task task = make();
  const auto dropped = [&](Index epoch) {
    std::vector<bool> all;
    for (const Example& example : examples_of(*task.training(epoch))) {
      all.push_back(example.source.front() == unknown_id);
    }
    return all;
  };
  const std::vector<bool> first = dropped(0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(first, true)), 100,
              5 * 8.7);  // √(400 · .25 · .75)
  EXPECT_EQ(dropped(0), first);
  EXPECT_NE(dropped(1), first);
}

TEST_F(LabelledText, takes_the_tokenizer_of_another_run) {
  use("x y\tp\ny z\tq\n", "x\tp\n");
  make_task(options_, {.seed = 1, .tokenizers = here_ / "other"});
  use(four);
  text_.tokenizer_of = (here_ / "other").string();
  const Task task = make();
  EXPECT_NE(task.source_tokenizer->encode("y").front(), unknown_id);
  EXPECT_EQ(task.source_tokenizer->encode("a").front(), unknown_id);
}

TEST_F(LabelledText, counts_what_is_unknown_and_says_on_which_line) {
  use(four, "a b\tyes\nc\tno way\nd x\tyes\n");
  EXPECT_EQ(describe(make().split("validation").unknown_source),
            "1 of 5 tokens is not in the vocabulary, on 1 line; the first is `x`, on line 3");
}

struct Refused {
  std::string train, validation, error, remedy = "";
};

TEST_F(LabelledText, refuses_other_columns_and_classes_that_cannot_be_learned) {
  for (const auto& [train, validation, error, remedy] :
       {Refused{"a b\tyes\nc\n", four, "train.tsv:2: 1 column with tabs between them, where 2 are ",
                "task.texts: 2"},
        {four, "a\tb\tyes\n", "validation.tsv:1: 3 columns"},
        {four, "a\tyes\nb\tmaybe\n", "validation.tsv:2: the class `maybe` is on no line of the "},
        {four, "text\tclass\na\tyes\nb\tmaybe\n", "validation.tsv:3: the class `maybe` is on no "},
        {"a\tyes\nb\tyes\n", four, "all 2 training examples have the class `yes`"},
        {"a\tyes\nb\t \n", four, "train.tsv:2: the class is empty"},
        {"text\tclass\na\tyes\nb\t \n", four, "train.tsv:3: the class is empty"}}) {
    use(train, validation);
    EXPECT_THAT(complaint(), AllOf(HasSubstr(error), HasSubstr(remedy)));
  }
  use_two_files("a\nb\nc\n", "x\ny\n", "");
  text_.validation_text = text_.validation_labels = "";
  EXPECT_THAT(complaint(), AllOf(HasSubstr("labels:2: the file ends here"), HasSubstr("3 texts"),
                                 HasSubstr("2 classes")));
}

// A task with these columns of training and validation, in files of these names.
Task tagged(std::string_view train, std::string_view validation, const Layout& layout = {}) {
  const TemporaryDirectory here;
  TaskOptions options("tagged_text");
  task_option<std::string>(options, "train_columns") = here.write("train", train);
  task_option<std::string>(options, "validation_columns") = here.write("validation", validation);
  return make_task(options, {.seed = 1, .layout = layout});
}

TEST(TaggedText, has_first_columns_as_tokens_and_last_ones_as_labels) {
  const std::string_view two_sentences =
      "-DOCSTART- -X- O\n\nEU NNP B-ORG\nrejects VBZ O\nGerman JJ B-MISC\n\n\nPeter NNP B-PER\n";
  const Task task = tagged(two_sentences, two_sentences);
  const Split& split = task.split("validation");
  EXPECT_THAT(split.source_texts, ElementsAre("EU rejects German", "Peter"));
  EXPECT_THAT(split.references, ElementsAre("B-ORG O B-MISC", "B-PER"));
  EXPECT_THAT(split.lines, ElementsAre(3, 8));

  const Task encoder =
      tagged(two_sentences, "Peter NNP O\nrejects VBZ O\n", {.input = InputRows::source});
  const Batch batch = pack(*encoder.split("validation").source, {0});
  EXPECT_EQ(encoder.source_tokenizer->decode({batch.input.ids.begin(), batch.input.ids.end()}),
            "Peter rejects");
  EXPECT_EQ(encoder.target_tokenizer->decode({batch.labels.ids.begin(), batch.labels.ids.end()}),
            "O O");
}

TEST(TaggedText, refuses_unequal_columns_and_labels_that_cannot_be_learned) {
  const std::vector<std::array<std::string, 3>> cases{
      {"a X\nb\n", "a X\n", "train:2: 1 column, where 2 are expected"},
      {"a\n", "a X\n", "train:1: 1 column, where two or more are expected"},
      {"a b X\nb c d Y\n", "a X\n", "train:2: 4 columns, where 3 are expected"},
      {"\n\n", "a X\n", "train: there is no sentence in the file"},
      {"a X\n", "a X\n\na X\nb Z\n", "validation:4: the label `Z` is not in the training data"}};
  for (const auto& [train, validation, error] : cases) {
    EXPECT_THAT(message_of<DataError>([&] { tagged(train, validation); }), HasSubstr(error));
  }
}

}}  // namespace tapehead
