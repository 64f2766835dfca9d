// The task tagged_text: sentences and labels from columns, and rejected files.
#include "datasets/make_task.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr std::string_view two_sentences =
    "-DOCSTART- -X- O\n\nEU NNP B-ORG\nrejects VBZ O\nGerman JJ B-MISC\n\n\nPeter NNP B-PER\n";

class TaggedText : public Test {
 protected:
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(here_ / name) << content;
    return (here_ / name).string();
  }
  std::string complaint(std::string_view content) const {
    return message_of<DataError>([&] { make_task(options(content, "a X\n"), {.seed = 1}); });
  }
  TaskOptions options(std::string_view train, std::string_view validation) const {
    TaskOptions options("tagged_text");
    task_option<std::string>(options, "train_columns") = write("train", train);
    task_option<std::string>(options, "validation_columns") = write("validation", validation);
    return options;
  }

  TemporaryDirectory here_;
};

TEST_F(TaggedText, has_first_columns_as_tokens_and_last_ones_as_labels) {
  const Task task = make_task(options(two_sentences, two_sentences), {.seed = 1});
  const Split& split = task.split("validation");
  EXPECT_THAT(split.source_texts, ElementsAre("EU rejects German", "Peter"));
  EXPECT_THAT(split.references, ElementsAre("B-ORG O B-MISC", "B-PER"));
  EXPECT_THAT(split.lines, ElementsAre(3, 8));
}

TEST_F(TaggedText, has_a_label_for_each_token_of_an_encoder) {
  const Task task = make_task(options(two_sentences, "Peter NNP O\nrejects VBZ O\n"),
                              {.seed = 1, .layout = {.input = InputRows::source}});
  const Batch batch = pack(*task.split("validation").source, {0});
  EXPECT_EQ(task.source_tokenizer->decode({batch.input.ids.begin(), batch.input.ids.end()}),
            "Peter rejects");
  EXPECT_EQ(task.target_tokenizer->decode({batch.labels.ids.begin(), batch.labels.ids.end()}),
            "O O");
}

TEST_F(TaggedText, refuses_unequal_columns_and_labels_that_cannot_be_learned) {
  EXPECT_THAT(complaint("a X\nb\n"), HasSubstr("train:2: 1 column, where 2 are expected"));
  EXPECT_THAT(complaint("a\n"), HasSubstr("train:1: 1 column, where two or more are expected"));
  EXPECT_THAT(complaint("a b X\nb c d Y\n"), HasSubstr("train:2: 4 columns, where 3 are expected"));
  EXPECT_THAT(complaint("\n\n"), HasSubstr("train: there is no sentence in the file"));
  const TaskOptions unseen = options("a X\n", "a X\n\na X\nb Z\n");
  EXPECT_THAT(message_of<DataError>([&] { make_task(unseen, {.seed = 1}); }),
              HasSubstr("validation:4: the label `Z` is not in the training data"));
}

}}  // namespace tapehead
