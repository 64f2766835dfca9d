// The task story_questions: the content of its stories, held-out combinations, and the accuracy of
// guesses.
#include "datasets/grammar/story.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/stories.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Number of examples, enough for shares of a few percent.
constexpr Index many = 2000;

const Task& questions() {
  static const Task task = [] {
    TaskOptions options("story_questions");
    task_option(options, "train_examples") = 5000;
    task_option(options, "test_examples") = many;
    task_option(options, "further_examples") = many;
    return make_task(options, {.seed = 1});
  }();
  return task;
}

// An example, read as words.
struct Asked {
  Words words;
  std::vector<Words> sentences;
  std::string about;
  std::string answer;

  bool about_a_thing() const { return words[words.size() - 5] == "who"; }
  const std::map<std::string, std::string>& facts_of(const World& world) const {
    return about_a_thing() ? world.holders : world.places;
  }
};

Asked read(const Example& example) {
  const Words words = words_of(questions().source_tokenizer->decode(example.source));
  return {.words = words,
          .sentences = sentences_of(words),
          .about = words[words.size() - 2],
          .answer = questions().target_tokenizer->entry(example.target.at(1))};
}

const std::vector<Asked>& read(const std::string& split) {
  static std::map<std::string, std::vector<Asked>> splits;
  std::vector<Asked>& all = splits[split];
  if (all.empty()) {
    std::ranges::transform(examples_of(questions().split(split)), std::back_inserter(all),
                           [](const Example& example) { return read(example); });
  }
  return all;
}

// The story without the sentence that has this row, so that a thing may change hands unseen.
World world_without(Index row, const std::vector<Words>& sentences) {
  World world;
  Index end = 0;
  for (const Words& sentence : sentences) {
    const Index begin = std::exchange(end, end + std::ssize(sentence) + 1);
    const Words nouns = nouns_of(sentence);
    if (row >= begin && row < end) {
      continue;
    }
    if (is_giving(sentence)) {
      world.holders[nouns[2]] = nouns[1];
    } else {
      world.places[nouns[0]] = nouns[1];
    }
  }
  EXPECT_LT(row, end);
  return world;
}

TEST(StoryQuestions, ask_who_has_a_thing_and_where_a_being_is) {
  std::map<bool, int> asked;
  std::map<std::string, std::set<std::size_t>> lengths;
  for_each_example(questions(), [&](const Split& split, Index number, const Example& example) {
    const Asked one = read(example);
    lengths[split.name].insert(one.sentences.size());
    const World world = world_of(one.sentences);
    const auto& facts = one.facts_of(world);
    ASSERT_EQ(facts.at(one.about), one.answer);
    ASSERT_EQ(questions().target_tokenizer->decode(example.target), one.about + " " + one.answer);
    const auto distractors =
        std::ranges::count_if(facts, [&](const auto& other) { return other.second != one.answer; });
    EXPECT_GE(distractors, 2) << "of the same relation";
    EXPECT_EQ(Words(one.words.end() - 5, one.words.end()),
              one.about_a_thing() ? (Words{"who", "has", "the", one.about, "?"})
                                  : (Words{"where", "is", "the", one.about, "?"}));
    ++asked[one.about_a_thing()];

    const Relations relations = split.source->relations(number);
    const auto answer = pairs_of(relations, "answer", RelationSide::across);
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer[0].query, 1);
    EXPECT_EQ(token_at(example.source, answer[0].key), example.target.back());
    const auto row = static_cast<Index>(example.source.size()) - 2;
    EXPECT_EQ(one.words[static_cast<std::size_t>(row)], one.about);
    EXPECT_THAT(pairs_of(relations, "question to answer", RelationSide::source),
                ElementsAre(PositionPair{row, answer[0].key}));
    EXPECT_THAT(pairs_of(relations, "question", RelationSide::across),
                ElementsAre(PositionPair{0, row}));
    const World without = world_without(answer[0].key, one.sentences);
    EXPECT_THAT(one.facts_of(without), Not(Contains(Pair(one.about, one.answer))))
        << "another sentence gives the answer, too";
  });
  EXPECT_NEAR(asked[true], asked[false], 0.03 * (asked[true] + asked[false]));
  EXPECT_THAT(lengths["train"], ElementsAre(5, 6, 7, 8, 9));  // default lengths
  EXPECT_THAT(lengths["combinations"], ElementsAre(5, 6, 7, 8, 9));
  EXPECT_THAT(lengths["longer"], ElementsAre(10, 11, 12));
}

TEST(StoryQuestions, ask_for_combinations_that_no_trained_story_has) {
  std::set<std::pair<std::string, std::string>> trained;
  for (const Asked& one : read("train")) {
    for (const Words& sentence : one.sentences) {
      trained.merge(combinations_of(sentence));
    }
  }
  std::set<std::pair<std::string, std::string>> asked;
  for (const Asked& one : read("combinations")) {
    asked.insert({one.about, one.answer});
    EXPECT_FALSE(trained.contains({one.about, one.answer}));
  }
  // One holder per thing and one place per being are held out; all other combinations are trained.
  EXPECT_EQ(asked.size(), grammar::things().size() + grammar::beings().size());
  EXPECT_EQ(trained.size() + asked.size(), grammar::things().size() * grammar::beings().size() +
                                               grammar::beings().size() * grammar::places().size());
}

TEST(StoryQuestions, hold_out_other_combinations_by_another_seed) {
  const auto held_out = [](std::uint64_t seed, std::span<const grammar::Noun> all,
                           std::span<const grammar::Noun> values) {
    std::vector<bool> held;
    for (const grammar::Noun& about : all) {
      for (const grammar::Noun& value : values) {
        held.push_back(grammar::Combinations(seed).held_out({.about = &about, .value = &value}));
      }
    }
    return held;
  };
  const auto [things, beings, places] =
      std::array{grammar::things(), grammar::beings(), grammar::places()};
  EXPECT_NE(held_out(1, things, beings), held_out(2, things, beings)) << "holders";
  EXPECT_NE(held_out(1, beings, places), held_out(2, beings, places));
}

// The share of a split's examples for which the guess is correct.
template <class Guess>
double right(const std::string& split, const Guess& guess) {
  const std::vector<Asked>& all = read(split);
  const auto hits =
      std::ranges::count_if(all, [&](const Asked& one) { return guess(one) == one.answer; });
  return static_cast<double>(hits) / static_cast<double>(all.size());
}

std::string most_frequent(const std::map<std::string, int>& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

// The last being or place in the story. If `fitting`, only in sentences that answer this kind of
// question.
std::string last_mention(const Asked& one, bool fitting) {
  const auto kind = one.about_a_thing() ? grammar::beings() : grammar::places();
  std::string last;
  for (const Words& sentence : one.sentences) {
    for (const std::string& noun : nouns_of(sentence)) {
      if (is_one_of(kind, noun) && (!fitting || is_giving(sentence) == one.about_a_thing())) {
        last = noun;
      }
    }
  }
  return last;
}

std::string word_at(const Words& words, std::size_t row, bool from_the_end) {
  return row >= words.size() ? "" : words[from_the_end ? words.size() - 1 - row : row];
}

TEST(StoryGuesses, of_the_most_frequent_answer_the_last_mention_or_a_fixed_place_are_seldom_right) {
  constexpr double most_by_guessing = 0.4;
  for (const std::string split : {"test", "combinations", "longer"}) {
    SCOPED_TRACE(split);
    std::map<std::string, int> counts;
    for (const Asked& one : read(split)) {
      ++counts[one.answer];
    }
    const auto guess = [most = most_frequent(counts)](const Asked&) { return most; };
    EXPECT_LE(right(split, guess), most_by_guessing);
    for (const bool flag : {false, true}) {
      EXPECT_LE(right(split, [&](const Asked& one) { return last_mention(one, flag); }),
                most_by_guessing);
      constexpr std::size_t rows = 101;  // longest story and question: 12 sentences of 8 words
      for (std::size_t row = 0; row < rows; ++row) {
        EXPECT_LE(right(split, [&](const Asked& one) { return word_at(one.words, row, flag); }),
                  most_by_guessing)
            << row;
      }
    }
  }
}

// The best guess per question: its most frequent answer in training. Chance is one of twelve beings
// or of eight places.
TEST(StoryQuestions, cannot_be_guessed_without_the_story) {
  const auto question = [](const Asked& one) {
    return one.about + (one.about_a_thing() ? " has" : " is");
  };
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Asked& one : read("train")) {
    ++counts[question(one)][one.answer];
  }
  double chance = 0;
  const double guessed = right("test", [&](const Asked& one) {
    const auto answers = one.about_a_thing() ? grammar::beings() : grammar::places();
    chance += 1.0 / static_cast<double>(answers.size());
    return most_frequent(counts.at(question(one)));
  });
  EXPECT_LE(guessed, 1.2 * chance / static_cast<double>(many)) << chance / many;
}

TEST(StoryQuestions, without_the_story_keep_their_splits_and_answers) {
  TaskOptions options = small_task("story_questions");
  const Task with = make_task(options, {.seed = 1});
  task_option<bool>(options, "story") = false;
  const Task without = make_task(options, {.seed = 1});
  ASSERT_EQ(without.splits.size(), with.splits.size());
  for_each_example(without, [&](const Split& split, Index number, const Example& example) {
    const Example& whole = example_of(with.split(split.name), number);
    EXPECT_EQ(example.target, whole.target);
    EXPECT_EQ(example.source, std::vector<TokenId>(whole.source.end() - 5, whole.source.end()));
    EXPECT_EQ(split.source->relations(number), Relations{});
  });
  EXPECT_EQ(words_of(without.split("test").source_texts.front()).size(), 5U);
}

}}  // namespace tapehead
