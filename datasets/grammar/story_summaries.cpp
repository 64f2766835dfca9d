// The task story_summaries: a story, then one sentence that sums up the story and is not in it.
//
//   the king gave the queen the book . the dog ran in the park . the queen brought the girl the
//   book . ... the girl gave the cat the book .  ->  the king gave the cat the book
//
// A story is about the thing that changes hands most often. The summary names the first giver and
// the last receiver of this thing. Two other things change hands less often.

#include "datasets/grammar/story.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

using grammar::Combinations;
using grammar::Fact;
using grammar::Noun;
using grammar::Story;
using grammar::StorySentence;

constexpr Index fewest_changes = 3;  // of hands, for the main thing of the story

// What the sentences are about, in order. The first thing of the cast changes hands most often, the
// next two less often; all other sentences say where a being goes.
std::vector<const Noun*> draw_plot(RandomSource& random, const Story& story, Index sentences) {
  const Index most = random.between(fewest_changes, std::max(fewest_changes, sentences / 2));
  const Index others = sentences - most;
  const Index second = random.between(1, std::min(most, others) - 1);
  const Index third = random.between(1, std::min(most - 1, others - second));
  std::vector<const Noun*> plot(static_cast<std::size_t>(most), story.things()[0]);
  plot.insert(plot.end(), static_cast<std::size_t>(second), story.things()[1]);
  plot.insert(plot.end(), static_cast<std::size_t>(third), story.things()[2]);
  while (std::ssize(plot) < sentences) {
    plot.push_back(random.one_of(story.beings()));
  }
  return mapped(random.different(sentences, sentences),
                [&](Index place) { return plot[static_cast<std::size_t>(place)]; });
}

const Noun* about_of(const StorySentence& sentence) { return sentence.fact.about; }

// Draws stories until the summary is not in the story, names two beings and fits `held_out`.
Example draw_summary(RandomSource& random, const Lengths& lengths, const Combinations& combinations,
                     bool held_out, const Tokenizer& tokenizer) {
  const Index sentences = lengths.draw(random);
  while (true) {
    Story story(random, combinations, held_out);
    for (const Noun* about : draw_plot(random, story, sentences)) {
      story.tell(*about);
    }
    const Noun* thing = story.things()[0];
    const Noun* giver = std::ranges::find(story.sentences(), thing, about_of)->clause.subject.noun;
    const Fact outcome{thing, story.value_of(*thing)};
    const bool told = std::ranges::any_of(story.sentences(), [&](const StorySentence& one) {
      return one.fact == outcome && one.clause.subject.noun == giver;
    });
    if (told || giver == outcome.value || combinations.held_out(outcome) != held_out) {
      continue;
    }
    const std::vector<StorySentence> summary{
        {.clause = grammar::giving(*giver, *outcome.value, *thing,
                                   *grammar::verbs_with(grammar::Valency::both).front()),
         .fact = {}}};
    return {.source = tokenizer.encode(to_english(story.sentences())),
            .target = tokenizer.encode(to_english(summary))};
  }
}

// The rows of giver, receiver and thing in the first and the last sentence about the thing.
Relations relations_of_summary(const Example& example) {
  constexpr Index giver = 1;  // "the king gave the queen the book ."
  constexpr Index receiver = 4;
  constexpr Index thing = 6;
  const auto& [source, target] = example;
  Relation mentions{"thing", RelationSide::across};
  for (Index row = 0; row < std::ssize(source); ++row) {
    if (source[static_cast<std::size_t>(row)] == target[thing]) {
      mentions.pairs.push_back({thing, row});
    }
  }
  const Index first = mentions.pairs.front().key - thing;  // where these two sentences begin
  const Index last = mentions.pairs.back().key - thing;
  return {{"giver", RelationSide::across, {{giver, first + giver}}},
          {"receiver", RelationSide::across, {{receiver, last + receiver}}},
          mentions};
}

Task make_summaries(const TaskOptions& options, const TaskMaking& making) {
  const auto tokenizer =
      std::make_shared<VocabularyTokenizer>(Vocabulary(grammar::story_words()), Unit::word);
  return make_story_task(options, tokenizer, draw_summary, relations_of_summary, making);
}

}  // namespace

extern constinit const TaskKind story_summaries_task{
    .name = "story_summaries",
    .options = options_of<StoryOptions, SplitSizes>,
    .rules = story_rules,
    .longest = longest_of<StoryOptions>,
    .splits = story_splits,
    .shrink = shrink_stories,
    .make = make_summaries};

}  // namespace tapehead
