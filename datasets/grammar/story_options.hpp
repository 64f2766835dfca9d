// The options that the tasks over stories share, and what depends on them.
#pragma once

#include "core/fields.hpp"
#include "datasets/grammar/story.hpp"
#include "datasets/synthetic/splits.hpp"
#include "datasets/task_kind.hpp"

namespace tapehead {

struct StoryOptions {
  Index min_sentences = 5;
  Index max_sentences = 9;
  Index longer_min_sentences = 10;
  Index longer_max_sentences = 12;
  Index further_examples = 1000;

  template <class Visitor>
  void fields(Visitor&& visit) {
    constexpr int most = 1000;
    visit(Field{"min_sentences", "sentences of the shortest story", 5, most}, min_sentences);
    visit(Field{"max_sentences", "sentences of the longest story", 5, most}, max_sentences);
    visit(Field{"longer_min_sentences",
                "sentences of the shortest story in the further test split `longer`", 6, most},
          longer_min_sentences);
    visit(Field{"longer_max_sentences",
                "sentences of the longest story in the further test split `longer`", 6, most},
          longer_max_sentences);
    visit(Field{"further_examples",
                "stories of each further test split: `combinations`, whose answers have "
                "combinations that no trained story has, and `longer`",
                1, 1e7},
          further_examples);
  }
};

// Draws an example. `held_out`: its answer is a combination that is held out.
using DrawStoryExample = Example (*)(RandomSource&, const Lengths& sentences,
                                     const grammar::Combinations&, bool held_out, const Tokenizer&);

// The splits of a task over stories: train, validation, test, combinations, longer.
Task make_story_task(const TaskOptions& options, const std::shared_ptr<const Tokenizer>& tokenizer,
                     DrawStoryExample draw, const RelationsOf& relations, const TaskMaking& making,
                     std::function<void(Example&)> leave_out = {});

extern const std::array<TaskRule, 1> story_rules;
LongestSide longest_story(const TaskOptions& options);
std::vector<std::string> story_splits(const TaskOptions& options);
void shrink_stories(TaskOptions& options, const Shrinking& shrink);

}  // namespace tapehead
