// Subword dropout: plain byte-pair encoding without it; with it, other tokenisations of the same
// text, which depend on seed and epoch alone.
#include "core/files/files.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

class SubwordDropout : public Test {
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
  EXPECT_THAT(merge("abc", 0), ElementsAre("abc"));  // ab merges first, then abc; bc never
  EXPECT_THAT(merge("xbc", 0), ElementsAre("x", "bc"));
  EXPECT_THAT(merge("aaa", 0), ElementsAre("aa", "a"));
  EXPECT_THAT(merge("x\u00fcb", 0), ElementsAre("x", "\u00fcb"));  // characters, not bytes
  EXPECT_THAT(merge("", 0), ElementsAre());
}

// 4,000 words: five standard deviations are at most 5 sqrt(0.25 / 4,000) = 0.04.
TEST_F(SubwordDropout, a_merge_is_left_out_as_often_as_asked_for) {
  const auto shares = [](std::string_view word) {
    constexpr int words = 4000;
    std::map<std::vector<std::string_view>, double> seen;
    for (std::uint64_t i = 0; i < words; ++i) {
      seen[merge(word, 0.3, 10 * i)] += 1.0 / words;
    }
    return seen;
  };
  // ab is tried first, with probability 0.7, then abc with 0.7. If ab is skipped, bc is tried with
  // 0.7, then the new pair abc with 0.7.
  auto abc = shares("abc");
  EXPECT_NEAR(abc[{"abc"}], 0.7 * 0.7 + 0.3 * 0.7 * 0.7, 0.04);
  EXPECT_NEAR((abc[{"ab", "c"}]), 0.7 * 0.3, 0.04);
  EXPECT_NEAR((abc[{"a", "bc"}]), 0.3 * 0.7 * 0.3, 0.04);
  EXPECT_NEAR((abc[{"a", "b", "c"}]), 0.3 * 0.3, 0.04);
  // A skipped merge stays skipped while other pairs merge.
  auto two_pairs = shares("abxbc");
  EXPECT_NEAR((two_pairs[{"ab", "x", "bc"}]), 0.7 * 0.7, 0.04);
  EXPECT_NEAR((two_pairs[{"a", "b", "x", "bc"}]), 0.3 * 0.7, 0.04);
}

void expect_cut_as_encoded(const SentencePieceTokenizer& tokenizer,
                           const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    EXPECT_EQ(tokenizer.cut(tokenizer.spelled(text), 0, Draws(1, "test", 0)),
              tokenizer.encode(text))
        << text;
  }
}

TEST_F(SubwordDropout, without_it_text_is_cut_as_sentencepiece_cuts_it) {
  const std::vector<std::string> english = read_lines(corpus / "train.en");
  const std::vector<std::string> german = read_lines(corpus / "train.de");
  std::vector<std::string> texts = read_lines(corpus / "test.de");
  texts.insert(texts.end(), english.begin(), english.end());
  for (const char* const odd : {"", " ", "  two  spaces ", "\u00fc\u00fc \u00fc\u00df",
                                "a\u00fc\u00df b", "\u2581", "<s> </s>"}) {
    texts.emplace_back(odd);
  }
  const std::string of_english = train_sentencepiece(english, {.vocabulary = 110});
  expect_cut_as_encoded(SentencePieceTokenizer(of_english),
                        texts);  // the German text has unknown characters
  std::vector<std::string> both = english;
  both.insert(both.end(), german.begin(), german.end());
  const std::string joint =
      with_target_pieces_first(train_sentencepiece(both, {.vocabulary = 160}), german);
  expect_cut_as_encoded(SentencePieceTokenizer(joint, Pieces::all), texts);
}

TEST_F(SubwordDropout, equal_words_of_a_text_are_cut_apart) {
  const std::vector<std::string> lines = read_lines(corpus / "train.en");
  const SentencePieceTokenizer tokenizer(train_sentencepiece(lines, {.vocabulary = 110}));
  const std::string word = tokenizer.spelled("street");
  const Draws draws(1, "test", 0);
  const std::vector<TokenId> first = tokenizer.cut(word, 0.5, draws);
  std::vector<TokenId> repeated;
  for (int i = 0; i < 5; ++i) {
    repeated.insert(repeated.end(), first.begin(), first.end());
  }
  EXPECT_NE(tokenizer.cut(word + word + word + word + word, 0.5, draws), repeated);
}

TaskOptions dropping_options() {
  TaskOptions options = corpus_options();
  options.as<ParallelTextOptions>().subword_dropout = 0.2;
  return options;
}

std::vector<std::vector<TokenId>> sources(const Task& task, Index epoch) {
  std::vector<std::vector<TokenId>> all;
  const std::shared_ptr<const Source> split = task.training(epoch);
  for (const Example& example : examples_of(*split)) {
    all.push_back(example.source);
  }
  return all;
}

TEST(SubwordDropoutTask, epochs_have_other_cuts_of_the_same_sources) {
  const Task task = make_task(dropping_options(), {.seed = 1});
  const Examples plain = examples_of(task.split("train"));
  const std::vector<std::vector<TokenId>> first = sources(task, 0);
  const std::vector<std::vector<TokenId>> second = sources(task, 1);
  EXPECT_NE(first, second);
  ASSERT_EQ(first.size(), plain.size());
  const std::shared_ptr<const Source> split = task.training(1);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string text = task.source_tokenizer->decode(plain[i].source);
    EXPECT_EQ(task.source_tokenizer->decode(first[i]), text);
    EXPECT_EQ(task.source_tokenizer->decode(second[i]), text);
    EXPECT_EQ(example_of(*split, static_cast<Index>(i)).target, plain[i].target);
  }
  EXPECT_TRUE(task.split("train").source_texts.empty());
}

TEST(SubwordDropoutTask, an_epoch_comes_back_and_another_seed_has_another_one) {
  const Task task = make_task(dropping_options(), {.seed = 1});
  const std::vector<std::vector<TokenId>> third = sources(task, 3);
  sources(task, 4);
  EXPECT_EQ(sources(task, 3), third);
  EXPECT_EQ(sources(make_task(dropping_options(), {.seed = 1}), 3), third);
  EXPECT_NE(sources(make_task(dropping_options(), {.seed = 2}), 3), third);
}

TEST(SubwordDropoutTask, held_out_splits_are_cut_as_ever) {
  TaskOptions options = dropping_options();
  const Task with = make_task(options, {.seed = 1});
  options.as<ParallelTextOptions>().subword_dropout = 0;
  const Task without = make_task(options, {.seed = 1});
  for (const std::string name : {"train", "validation"}) {
    for (Index i = 0; i < with.split(name).size(); ++i) {
      EXPECT_EQ(example_of(with.split(name), i).source, example_of(without.split(name), i).source);
    }
  }
  EXPECT_EQ(without.training(5), without.split("train").source);
}

TEST(SubwordDropoutTask, the_fingerprint_covers_what_decides_the_cuts) {
  TaskOptions options = dropping_options();
  const std::string original = make_task(options, {.seed = 1}).fingerprint;
  options.as<ParallelTextOptions>().max_length = 99;  // drops no pair
  EXPECT_NE(make_task(options, {.seed = 1}).fingerprint, original);
  options.as<ParallelTextOptions>().subword_dropout = 0.3;
  const std::string finer = make_task(options, {.seed = 1}).fingerprint;
  options.as<ParallelTextOptions>().subword_dropout = 0;
  const std::string plain = make_task(options, {.seed = 1}).fingerprint;
  EXPECT_NE(finer, plain);
  options.as<ParallelTextOptions>().max_length = 100;
  EXPECT_EQ(make_task(options, {.seed = 1}).fingerprint, plain);
}

TEST(SubwordDropoutTask, equal_sources_are_cut_apart) {
  const TemporaryDirectory here;
  TaskOptions options = dropping_options();
  const std::string line = "a man in a blue shirt is standing on a ladder cleaning a window .\n";
  write_file_atomically(here / "train.en", line + line + line);
  write_file_atomically(here / "train.de", "x\nx\nx\n");
  options.as<ParallelTextOptions>().train_source = here / "train.en";
  options.as<ParallelTextOptions>().train_target = here / "train.de";
  options.as<ParallelTextOptions>().vocabulary = 40;
  const std::vector<std::vector<TokenId>> cuts = sources(make_task(options, {.seed = 1}), 0);
  EXPECT_FALSE(cuts[0] == cuts[1] && cuts[1] == cuts[2]);
}

TEST(SubwordDropoutTask, a_kept_tokenizer_without_merges_is_refused) {
  const TemporaryDirectory here;
  TaskOptions options = dropping_options();
  options.as<ParallelTextOptions>().subword_dropout = 0;
  options.as<ParallelTextOptions>().tokenizer = TokenizerKind::word;
  make_task(options, {.seed = 1, .tokenizers = here.path()});
  options.as<ParallelTextOptions>().subword_dropout = 0.1;
  options.as<ParallelTextOptions>().tokenizer = TokenizerKind::bpe;
  EXPECT_THAT(io_error_of([&] { make_task(options, {.seed = 1, .tokenizers = here.path()}); }),
              HasSubstr("contains a tokenizer without merges"));
}

TEST(SubwordDropoutTask, a_source_that_would_be_too_long_stays_as_it_is) {
  TaskOptions options = dropping_options();
  options.as<ParallelTextOptions>().max_length = 20;
  options.as<ParallelTextOptions>().subword_dropout = 0.5;
  const Task task = make_task(options, {.seed = 1});
  const Examples plain = examples_of(task.split("train"));
  const std::shared_ptr<const Source> split = task.training(0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::vector<TokenId> source = example_of(*split, static_cast<Index>(i)).source;
    EXPECT_LE(source.size(), 20U);
    kept += source == plain[i].source ? 1 : 0;
  }
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, plain.size());
}

}}  // namespace tapehead
