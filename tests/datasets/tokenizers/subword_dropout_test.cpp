// Subword dropout: plain byte-pair encoding without it; with it, other tokenisations of the same
// text, which depend on seed and epoch alone.
#include "datasets/make_task.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

std::vector<std::string_view> merge(std::string_view word, double probability,
                                    std::uint64_t draw = 0) {
  static const std::map<std::string_view, float, std::less<>> scores{
      {"ab", -1}, {"bc", -2}, {"abc", -3}, {"aa", -4}, {"\u00fcb", -5}};
  const PieceScore score = [](std::string_view piece) {
    const auto found = scores.find(piece);
    return found == scores.end() ? std::nullopt : std::optional(found->second);
  };
  return merge_with_dropout(word, score, probability, Draws(1, "test", 0), draw);
}

// 4,000 words: five standard deviations are at most 5 sqrt(0.25 / 4,000) = 0.04.
TEST(SubwordDropout, a_merge_is_left_out_as_often_as_asked_for_and_else_the_best_is_first) {
  EXPECT_THAT(merge("abc", 0), ElementsAre("abc"));  // ab merges first, then abc; bc never
  EXPECT_THAT(merge("xbc", 0), ElementsAre("x", "bc"));
  EXPECT_THAT(merge("aaa", 0), ElementsAre("aa", "a"));            // of equals the leftmost
  EXPECT_THAT(merge("x\u00fcb", 0), ElementsAre("x", "\u00fcb"));  // characters, not bytes
  EXPECT_THAT(merge("", 0), IsEmpty());
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

TEST(SubwordDropout, without_it_text_is_cut_as_sentencepiece_cuts_it) {
  const std::vector<std::string> english = read_lines(corpus / "train.en");
  const std::vector<std::string> german = read_lines(corpus / "train.de");
  std::vector<std::string> both = english;
  both.insert(both.end(), german.begin(), german.end());
  std::vector<std::string> texts = read_lines(corpus / "test.de");
  texts.insert(texts.end(), english.begin(), english.end());
  texts.insert(texts.end(), {"", " ", "  two  spaces ", "\u00fc\u00fc \u00fc\u00df",
                             "a\u00fc\u00df b", "\u2581", "<s> </s>"});
  const Draws draws(1, "test", 0);
  for (const std::string& model :
       {train_sentencepiece(english, {.vocabulary = 110}),  // does not know all German characters
        with_target_pieces_first(train_sentencepiece(both, {.vocabulary = 160}), german)}) {
    const SentencePieceTokenizer tokenizer(model, Pieces::all);
    for (const std::string& text : texts) {
      EXPECT_EQ(tokenizer.cut(tokenizer.spelled(text), 0, draws), tokenizer.encode(text)) << text;
    }
  }
  const SentencePieceTokenizer tokenizer(train_sentencepiece(english, {.vocabulary = 110}));
  const std::string word = tokenizer.spelled("street");
  std::vector<TokenId> repeated;
  for (int i = 0; i < 5; ++i) {
    const std::vector<TokenId> one = tokenizer.cut(word, 0.5, draws);
    repeated.insert(repeated.end(), one.begin(), one.end());
  }
  EXPECT_NE(tokenizer.cut(word + word + word + word + word, 0.5, draws), repeated)
      << "equal words of a text are cut apart";
}

class SubwordDropoutTask : public Test {
 protected:
  SubwordDropoutTask() { text_.subword_dropout = 0.2; }

  Task make(std::uint64_t seed = 1) const { return make_task(options_, {.seed = seed}); }

  static std::vector<std::vector<TokenId>> sources(const Task& task, Index epoch) {
    std::vector<std::vector<TokenId>> all;
    for (const Example& example : examples_of(*task.training(epoch))) {
      all.push_back(example.source);
    }
    return all;
  }

  TaskOptions options_ = corpus_options();
  ParallelTextOptions& text_ = options_.as<ParallelTextOptions>();
};

TEST_F(SubwordDropoutTask, epochs_have_other_cuts_of_the_same_sources_by_seed) {
  const Task task = make();
  const Examples plain = examples_of(task.split("train"));
  const std::vector<std::vector<TokenId>> first = sources(task, 0);
  const Examples fourth = examples_of(*task.training(3));
  EXPECT_NE(sources(task, 3), first);
  EXPECT_EQ(sources(task, 0), first);
  EXPECT_EQ(sources(make(), 3), sources(task, 3));
  EXPECT_NE(sources(make(2), 3), sources(task, 3));
  ASSERT_EQ(first.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string text = task.source_tokenizer->decode(plain[i].source);
    EXPECT_EQ(task.source_tokenizer->decode(first[i]), text);
    EXPECT_EQ(task.source_tokenizer->decode(fourth[i].source), text);
    EXPECT_EQ(fourth[i].target, plain[i].target);
  }
  EXPECT_TRUE(task.split("train").source_texts.empty());

  text_.subword_dropout = 0;
  const Task without = make();
  EXPECT_EQ(without.training(5), without.split("train").source);
  for (const std::string name : {"train", "validation"}) {
    for (Index i = 0; i < task.split(name).size(); ++i) {
      EXPECT_EQ(example_of(task.split(name), i).source, example_of(without.split(name), i).source);
    }
  }
}

TEST_F(SubwordDropoutTask, the_fingerprint_covers_what_decides_the_cuts) {
  const auto fingerprint = [&](double dropout, Index max_length) {
    text_.subword_dropout = dropout;
    text_.max_length = max_length;
    return make().fingerprint;
  };
  const std::string original = fingerprint(0.2, 100);
  EXPECT_NE(fingerprint(0.2, 99), original);  // drops no pair
  EXPECT_NE(fingerprint(0.3, 99), fingerprint(0, 99));
  EXPECT_EQ(fingerprint(0, 100), fingerprint(0, 99));
}

TEST_F(SubwordDropoutTask, equal_sources_are_cut_apart_and_a_kept_tokenizer_must_have_merges) {
  const TemporaryDirectory here;
  const std::string line = "a man in a blue shirt is standing on a ladder cleaning a window .\n";
  text_.train_source = here.write("train.en", line + line + line);
  text_.train_target = here.write("train.de", "x\nx\nx\n");
  text_.vocabulary = 40;
  const std::vector<std::vector<TokenId>> cuts = sources(make(), 0);
  EXPECT_FALSE(cuts[0] == cuts[1] && cuts[1] == cuts[2]);
  const TaskOptions dropping = options_;
  text_.subword_dropout = 0;
  text_.tokenizer = TokenizerKind::word;
  make_task(options_, {.seed = 1, .tokenizers = here.path()});
  EXPECT_THAT([&] { make_task(dropping, {.seed = 1, .tokenizers = here.path()}); },
              throws<IoError>("contains a tokenizer without merges"));
}

TEST_F(SubwordDropoutTask, a_source_that_would_be_too_long_stays_as_it_is) {
  text_.max_length = 20;
  text_.subword_dropout = 0.5;
  const Task task = make();
  const Examples plain = examples_of(task.split("train"));
  const std::vector<std::vector<TokenId>> cuts = sources(task, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_LE(cuts[i].size(), 20U);
    kept += cuts[i] == plain[i].source ? 1 : 0;
  }
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, plain.size());
}

}}  // namespace tapehead
