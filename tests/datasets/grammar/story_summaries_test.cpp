// The task story_summaries: the content of its summaries, held-out combinations, and the accuracy
// of guesses.
#include "datasets/make_task.hpp"
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
  std::map<std::string, std::set<std::size_t>> lengths;
  std::set<std::pair<std::string, std::string>> trained;
  for_each_example(summaries(), [&](const Split& split, Index number, const Example& example) {
    const Told told = read_story(example);
    world_of(told.sentences);  // throws if the giver does not have the thing
    const Words nouns = nouns_of(told.summary);
    EXPECT_THAT(nouns, journey_of(told.sentences));
    EXPECT_NE(nouns[0], nouns[1]);
    EXPECT_EQ(told.summary[1 + 1], "gave");
    lengths[split.name].insert(told.sentences.size());
    for (const Words& sentence : told.sentences) {
      if (split.name == "train") {
        trained.merge(combinations_of(sentence));
      }
    }
    // "train" is the first split.
    EXPECT_FALSE(split.name == "combinations" && trained.contains({nouns[2], nouns[1]}));

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
  EXPECT_THAT(lengths["train"], ElementsAre(5, 6, 7, 8, 9));  // default lengths
  EXPECT_THAT(lengths["longer"], ElementsAre(10, 11, 12));
}

TEST(StorySummaries, are_no_sentence_of_the_story_in_these_or_other_words) {
  for_each_example(summaries(), [&](const Split&, Index, const Example& example) {
    const Told told = read_story(example);
    for (const Words& sentence : told.sentences) {
      EXPECT_NE(nouns_of(sentence), nouns_of(told.summary));
    }
  });
}

struct Guess {
  double most_right;
  std::function<Words(const std::vector<Words>& sentences)> nouns;
};

TEST(StorySummaries, cannot_be_guessed_from_one_sentence_or_from_the_ends) {
  const std::vector<Guess> guesses{
      {0.3, [](const auto& sentences) { return nouns_of(sentences[0]); }},
      {0.4,
       [](const auto& sentences) {
         const std::vector<Words> givings = givings_of(sentences);
         return Words{givings.front()[0], givings.back()[1], givings.front()[2]};
       }},
      {0.4, [](const auto& sentences) {  // correct thing, wrong people
         const std::vector<Words> givings = givings_of(sentences);
         return Words{givings.front()[0], givings.back()[1], journey_of(sentences)[2]};
       }}};
  for (const std::string split : {"test", "combinations", "longer"}) {
    const Examples examples = examples_of(summaries().split(split));
    for (const auto& [most_right, guess] : guesses) {
      double right = 0;
      for (const Example& example : examples) {
        const Told told = read_story(example);
        right += guess(told.sentences) == nouns_of(told.summary) ? 1 : 0;
      }
      EXPECT_LE(right / static_cast<double>(examples.size()), most_right) << split;
    }
  }
}

}}  // namespace tapehead
