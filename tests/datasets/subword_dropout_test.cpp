// Subword dropout: byte-pair encoding itself without it, other cuts of the same text with it, each
// a function of seed and epoch alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "datasets/loader.hpp"
#include "datasets/sentencepiece_tokenizer.hpp"
#include "datasets/subword_dropout.hpp"
#include "datasets/task.hpp"
#include "datasets/text_file.hpp"

namespace tapehead {
namespace {

using ::testing::ElementsAre;

const std::filesystem::path corpus = std::filesystem::path(TAPEHEAD_FIXTURES) / "text";

class SubwordDropout : public ::testing::Test {
 protected:
  static std::vector<std::string_view> merge(std::string_view word, double probability,
                                             std::uint64_t draw = 0) {
    static const std::map<std::string_view, float, std::less<>> scores{
        {"ab", -1}, {"bc", -2}, {"abc", -3}, {"aa", -4}, {"\u00fcb", -5}};
    const PieceScore score = [](std::string_view piece) {
      const auto found = scores.find(piece);
      return found == scores.end() ? std::nullopt : std::optional(found->second);
    };
    return merge_with_dropout(word, score, probability, Draws(1, "test", 0), draw);
  }
};

TEST_F(SubwordDropout, without_it_the_best_pair_is_merged_first_and_of_equals_the_leftmost) {
  EXPECT_THAT(merge("abc", 0), ElementsAre("abc"));  // ab, then abc: not bc
  EXPECT_THAT(merge("xbc", 0), ElementsAre("x", "bc"));
  EXPECT_THAT(merge("aaa", 0), ElementsAre("aa", "a"));
  EXPECT_THAT(merge("x\u00fcb", 0), ElementsAre("x", "\u00fcb"));  // characters, not bytes
  EXPECT_THAT(merge("", 0), ElementsAre());
}

TEST_F(SubwordDropout, a_merge_is_left_out_as_often_as_asked_for) {
  constexpr int words = 4000;
  std::map<std::vector<std::string_view>, int> seen;
  for (std::uint64_t word = 0; word < words; ++word) {
    ++seen[merge("abc", 0.3, 10 * word)];
  }
  // ab is tried first: merged with 0.7, and abc then with 0.7. When it is left out bc is tried:
  // with 0.7, and then abc, a pair that is new, with 0.7. Half a percent is 0.6 deviations.
  const auto share = [&](const std::vector<std::string_view>& cut) { return seen[cut] / 4000.0; };
  EXPECT_NEAR(share({"abc"}), 0.7 * 0.7 + 0.3 * 0.7 * 0.7, 0.03);
  EXPECT_NEAR(share({"ab", "c"}), 0.7 * 0.3, 0.03);
  EXPECT_NEAR(share({"a", "bc"}), 0.3 * 0.7 * 0.3, 0.03);
  EXPECT_NEAR(share({"a", "b", "c"}), 0.3 * 0.3, 0.03);
}

TEST_F(SubwordDropout, without_it_text_is_cut_as_sentencepiece_cuts_it) {
  const std::vector<std::string> lines = read_lines(corpus / "train.en");
  const SentencePieceTokenizer tokenizer(train_sentencepiece(lines, {.vocabulary = 110}));
  std::vector<std::string> texts = read_lines(corpus / "test.de");  // with unknown characters
  texts.insert(texts.end(), lines.begin(), lines.end());
  for (const char* const odd :
       {"", " ", "  two  spaces ", "\u00fc\u00fc \u00fc\u00df", "a\u00fc\u00df b", "\u2581"}) {
    texts.emplace_back(odd);
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(tokenizer.cut(tokenizer.spelled(text), 0, Draws(1, "test", 0)),
              tokenizer.encode(text))
        << text;
  }
}

TaskOptions corpus_options() {
  TaskOptions options;
  options.name = TaskName::parallel_text;
  options.text.train_source = corpus / "train.en";
  options.text.train_target = corpus / "train.de";
  options.text.validation_source = corpus / "validation.en";
  options.text.validation_target = corpus / "validation.de";
  options.text.vocabulary = 110;
  options.text.subword_dropout = 0.2;
  return options;
}

std::vector<std::vector<TokenId>> sources(const Task& task, Index epoch) {
  std::vector<std::vector<TokenId>> all;
  for (const Example& example : task.training_split(epoch)->examples) {
    all.push_back(example.source);
  }
  return all;
}

TEST(SubwordDropoutTask, epochs_have_other_cuts_of_the_same_sources) {
  const Task task = make_task(corpus_options(), 1);
  const std::vector<Example>& plain = task.split("train").examples;
  const std::vector<std::vector<TokenId>> first = sources(task, 0);
  const std::vector<std::vector<TokenId>> second = sources(task, 1);
  EXPECT_NE(first, second);
  ASSERT_EQ(first.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string text = task.source_tokenizer->decode(plain[i].source);
    EXPECT_EQ(task.source_tokenizer->decode(first[i]), text);
    EXPECT_EQ(task.source_tokenizer->decode(second[i]), text);
    EXPECT_EQ(task.training_split(1)->examples[i].target, plain[i].target);
  }
  EXPECT_TRUE(task.split("train").source_texts.empty());
}

TEST(SubwordDropoutTask, an_epoch_comes_back_and_another_seed_has_another_one) {
  const Task task = make_task(corpus_options(), 1);
  const std::vector<std::vector<TokenId>> third = sources(task, 3);
  sources(task, 4);
  EXPECT_EQ(sources(task, 3), third);
  EXPECT_EQ(sources(make_task(corpus_options(), 1), 3), third);
  EXPECT_NE(sources(make_task(corpus_options(), 2), 3), third);
}

TEST(SubwordDropoutTask, held_out_splits_are_cut_as_ever) {
  TaskOptions options = corpus_options();
  const Task with = make_task(options, 1);
  options.text.subword_dropout = 0;
  const Task without = make_task(options, 1);
  for (const std::string name : {"train", "validation"}) {
    for (std::size_t i = 0; i < with.split(name).examples.size(); ++i) {
      EXPECT_EQ(with.split(name).examples[i].source, without.split(name).examples[i].source);
    }
  }
  EXPECT_EQ(without.training_split(5).get(), &without.split("train"));
  EXPECT_NE(with.fingerprint, without.fingerprint);
}

TEST(SubwordDropoutTask, a_source_that_would_be_too_long_stays_as_it_is) {
  TaskOptions options = corpus_options();
  options.text.max_length = 20;
  options.text.subword_dropout = 0.5;
  const Task task = make_task(options, 1);
  const std::vector<Example>& plain = task.split("train").examples;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::vector<TokenId>& source = task.training_split(0)->examples[i].source;
    EXPECT_LE(source.size(), 20U);
    kept += source == plain[i].source ? 1 : 0;
  }
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, plain.size());
}

}  // namespace
}  // namespace tapehead
