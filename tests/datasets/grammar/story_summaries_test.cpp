// The task story_summaries: the content of its summaries, held-out combinations, and the accuracy
// of guesses.
#include "datasets/make_task.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/stories.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

const Task& summaries() {
  static const Task task = [] {
    TaskOptions options("story_summaries");
    task_option(options, "train_examples") = 5000;
    task_option(options, "test_examples") = 2000;
    task_option(options, "further_examples") = 2000;
    return make_task(options, {.seed = 1});
  }();
  return task;
}

struct Told {
  std::vector<Words> sentences;
  Words summary;
};

Told read_story(const Example& example) {
  return {.sentences = sentences_of(words_of(summaries().source_tokenizer->decode(example.source))),
          .summary =
              sentences_of(words_of(summaries().target_tokenizer->decode(example.target))).at(0)};
}

std::vector<Told> read_stories(std::string_view split) {
  std::vector<Told> all;
  for (const Example& example : examples_of(summaries().split(split))) {
    all.push_back(read_story(example));
  }
  return all;
}

std::vector<Words> givings_of(const std::vector<Words>& sentences, const std::string& thing = {}) {
  std::vector<Words> givings;
  for (const Words& sentence : sentences) {
    if (is_giving(sentence) && (thing.empty() || nouns_of(sentence)[2] == thing)) {
      givings.push_back(nouns_of(sentence));
    }
  }
  return givings;
}

// Giver, receiver and thing of the summary, computed from the words of the story.
Words journey_of(const std::vector<Words>& sentences) {
  std::map<std::string, std::size_t> changes;
  for (const Words& nouns : givings_of(sentences)) {
    ++changes[nouns[2]];
  }
  const std::string thing =
      std::ranges::max_element(changes, {}, [](const auto& entry) { return entry.second; })->first;
  const auto most = std::ranges::count_if(
      changes, [&](const auto& entry) { return entry.second == changes.at(thing); });
  EXPECT_EQ(most, 1) << "one thing changes hands most often";
  EXPECT_GE(changes.size(), 3U) << "two distractors of the same relation";
  const std::vector<Words> givings = givings_of(sentences, thing);
  return {givings.front()[0], givings.back()[1], thing};
}

TEST(StorySummaries, say_from_whom_to_whom_the_thing_went_that_changed_hands_most_often) {
  for_each_example(summaries(), [&](const Split&, Index, const Example& example) {
    const Told told = read_story(example);
    world_of(told.sentences);  // throws if the giver does not have the thing
    EXPECT_THAT(nouns_of(told.summary), journey_of(told.sentences));
    EXPECT_NE(nouns_of(told.summary)[0], nouns_of(told.summary)[1]);
    EXPECT_EQ(told.summary[1 + 1], "gave");
  });
}

TEST(StorySummaries, are_no_sentence_of_the_story_in_these_or_other_words) {
  for_each_example(summaries(), [&](const Split&, Index, const Example& example) {
    const Told told = read_story(example);
    for (const Words& sentence : told.sentences) {
      EXPECT_NE(nouns_of(sentence), nouns_of(told.summary));
    }
  });
}

TEST(StorySummaries, have_longer_stories_and_new_combinations_in_splits_of_their_own) {
  std::map<std::string, std::set<std::size_t>> lengths;
  std::set<std::pair<std::string, std::string>> trained;
  for_each_example(summaries(), [&](const Split& split, Index, const Example& example) {
    const Told told = read_story(example);
    lengths[split.name].insert(told.sentences.size());
    for (const Words& sentence : told.sentences) {
      if (split.name == "train") {
        trained.merge(combinations_of(sentence));
      }
    }
  });
  EXPECT_THAT(lengths["train"], ElementsAre(5, 6, 7, 8, 9));  // default lengths
  EXPECT_THAT(lengths["longer"], ElementsAre(10, 11, 12));
  for (const Told& told : read_stories("combinations")) {
    const Words nouns = nouns_of(told.summary);
    EXPECT_FALSE(trained.contains({nouns[2], nouns[1]}));
  }
}

template <class Guess>
double right_summaries(std::string_view split, const Guess& guess) {
  const auto all = read_stories(split);
  const auto hits = std::ranges::count_if(
      all, [&](const Told& told) { return guess(told.sentences) == nouns_of(told.summary); });
  return static_cast<double>(hits) / static_cast<double>(all.size());
}

constexpr double most_by_copying = 0.3;
constexpr double most_by_a_rule = 0.4;

TEST(StorySummaries, cannot_be_guessed_from_one_sentence_or_from_the_ends) {
  for (const std::string_view split : {"test", "combinations", "longer"}) {
    EXPECT_LE(right_summaries(split, [](const auto& sentences) { return nouns_of(sentences[0]); }),
              most_by_copying);
    EXPECT_LE(right_summaries(split,
                              [](const auto& sentences) {
                                const Words first = givings_of(sentences).front();
                                const Words last = givings_of(sentences).back();
                                return Words{first[0], last[1], first[2]};
                              }),
              most_by_a_rule);
    EXPECT_LE(right_summaries(split,
                              [](const auto& sentences) {  // correct thing, wrong people
                                const Words first = givings_of(sentences).front();
                                const Words last = givings_of(sentences).back();
                                return Words{first[0], last[1], journey_of(sentences)[2]};
                              }),
              most_by_a_rule);
  }
}

TEST(StorySummaries, relate_each_noun_to_its_word_in_the_story) {
  for_each_example(summaries(), [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    for (const auto* name : {"giver", "receiver", "thing"}) {
      for (const auto& [query, key] : pairs_of(relations, name, RelationSide::across)) {
        EXPECT_EQ(token_at(example.target, query), token_at(example.source, key)) << name;
      }
    }
    EXPECT_EQ(pairs_of(relations, "giver", RelationSide::across).size(), 1U);
    EXPECT_EQ(pairs_of(relations, "receiver", RelationSide::across).size(), 1U);
    EXPECT_GE(pairs_of(relations, "thing", RelationSide::across).size(), 3U);
  });
}

}}  // namespace tapehead
