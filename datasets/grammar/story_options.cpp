#include "datasets/grammar/story_options.hpp"

namespace tapehead {

namespace {

// "the king gave the queen the book ." and "who has the book ?"
constexpr Index longest_sentence = 8;
constexpr Index longest_question = 5;

std::optional<Violation> sentences_out_of_order(const TaskOptions& options) {
  const auto& story = options.as<StoryOptions>();
  if (story.min_sentences > story.max_sentences) {
    return Violation{{"task.min_sentences", "task.max_sentences"},
                     fmt::format("more than task.max_sentences ({}, {})", story.min_sentences,
                                 story.max_sentences)};
  }
  if (story.longer_min_sentences <= story.max_sentences) {
    return Violation{{"task.longer_min_sentences", "task.max_sentences"},
                     fmt::format("the split `longer` must begin beyond task.max_sentences ({}, {})",
                                 story.longer_min_sentences, story.max_sentences)};
  }
  if (story.longer_min_sentences <= story.longer_max_sentences) {
    return {};
  }
  return Violation{{"task.longer_max_sentences", "task.longer_min_sentences"},
                   fmt::format("fewer than task.longer_min_sentences ({}, {})",
                               story.longer_max_sentences, story.longer_min_sentences)};
}

}  // namespace

constinit const std::array<TaskRule, 1> story_rules{
    {{"`task.min_sentences` is at most `task.max_sentences`, and the split `longer` begins beyond "
      "it.",
      sentences_out_of_order}}};

LongestSide longest_story(const TaskOptions& options) {
  return {.tokens =
              longest_sentence * options.as<StoryOptions>().longer_max_sentences + longest_question,
          .option = "task.longer_max_sentences"};
}

std::vector<std::string> story_splits(const TaskOptions&) {
  return {"train", "validation", "test", "combinations", "longer"};
}

void shrink_stories(TaskOptions& options, const Shrinking& shrink) {
  constexpr Index fewest = 5;
  auto& story = options.as<StoryOptions>();
  shrink.splits(options.as<SplitSizes>());
  shrink.at_most("task.further_examples", story.further_examples, Shrinking::most_examples);
  shrink.at_most("task.min_sentences", story.min_sentences, fewest);
  shrink.at_most("task.max_sentences", story.max_sentences, fewest, story.min_sentences);
  shrink.at_most("task.longer_min_sentences", story.longer_min_sentences, fewest + 1,
                 story.max_sentences + 1);
  shrink.at_most("task.longer_max_sentences", story.longer_max_sentences, fewest + 1,
                 story.longer_min_sentences);
}

Task make_story_task(const TaskOptions& options, const std::shared_ptr<const Tokenizer>& tokenizer,
                     DrawStoryExample draw, const RelationsOf& relations, const TaskMaking& making,
                     std::function<void(Example&)> leave_out) {
  const auto& story = options.as<StoryOptions>();
  const auto draw_from = [&](bool held_out) {
    return [draw, held_out, tokenizer, combinations = grammar::Combinations(making.seed)](
               RandomSource& random, const Lengths& sentences) {
      return draw(random, sentences, combinations, held_out, *tokenizer);
    };
  };
  const SyntheticTask kind{.tokenizer = tokenizer,
                           .draw = draw_from(false),
                           .relations = relations,
                           .sources = "stories",
                           .remedy = "task.max_sentences",
                           .leave_out = std::move(leave_out)};
  const Lengths sentences{story.min_sentences, story.max_sentences};
  SyntheticSplits splits{options.as<SplitSizes>(), sentences};
  splits.further = {{.name = "combinations",
                     .examples = story.further_examples,
                     .lengths = sentences,
                     .draw = draw_from(true)},
                    {.name = "longer",
                     .examples = story.further_examples,
                     .lengths = {story.longer_min_sentences, story.longer_max_sentences}}};
  return make_splits(kind, splits, making);
}

}  // namespace tapehead
