// The task story_questions: a story, then a question whose answer is one of its words. As in
// recall, the target first repeats the word that the question is about.
//
//   the king gave the queen the book . the dog ran in the park . who has the book ?  ->  book queen
//
// Things change hands and beings change places, so the answer is in the last sentence about the
// thing or being of the question. The same question has another answer for at least two others of
// its kind. Tasks 1 and 2 of Weston et al. 2015 are similar.

#include "datasets/grammar/story.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

using grammar::Combinations;
using grammar::Fact;
using grammar::Story;

struct QuestionOptions {
  bool story = true;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"story",
                "the source has the story; without it, only the question, which shows what can be "
                "guessed"},
          story);
  }
};

constexpr Index fewest_distractors = 2;  // facts of the same kind with another answer
constexpr Index question_tokens = 5;

std::string question_about(const Fact& fact) {
  std::string question = grammar::is_thing(*fact.about) ? "who has the " : "where is the ";
  return question.append(fact.about->singular).append(" ?");
}

Story draw_events(RandomSource& random, Index sentences, const Combinations& combinations,
                  bool held_out) {
  Story story(random, combinations, held_out);
  for (Index sentence = 0; sentence < sentences; ++sentence) {
    story.tell(*random.one_of(random.one_in(2) ? story.things() : story.beings()));
  }
  return story;
}

// Stories are drawn until one has an answer of this kind and enough distractors.
Example draw_question(RandomSource& random, const Lengths& lengths,
                      const Combinations& combinations, bool held_out, const Tokenizer& tokenizer) {
  const Index sentences = lengths.draw(random);
  const bool about_a_thing = random.one_in(2);
  while (true) {
    const Story story = draw_events(random, sentences, combinations, held_out);
    const auto facts = story.facts_about(about_a_thing ? story.things() : story.beings());
    if (facts.empty()) {
      continue;
    }
    const Fact& fact = random.one_of(facts);
    const auto distractors =
        std::ranges::count_if(facts, [&](const Fact& other) { return other.value != fact.value; });
    if (distractors >= fewest_distractors && combinations.held_out(fact) == held_out) {
      return {
          .source = tokenizer.encode(to_english(story.sentences()) + " " + question_about(fact)),
          .target = {tokenizer.encode(fact.about->singular).front(),
                     tokenizer.encode(fact.value->singular).front()}};
    }
  }
}

// The row of the answer, in the last sentence that has both the answer and the word asked for.
Index answer_row(std::span<const TokenId> story, TokenId asked, TokenId answer, TokenId full_stop) {
  auto end = story.size();
  while (end > 0) {
    auto begin = end - 1;  // the sentence without its full stop is from begin to end - 1
    while (begin > 0 && story[begin - 1] != full_stop) {
      --begin;
    }
    const auto sentence = story.subspan(begin, end - begin);
    const auto found = std::ranges::find(sentence, answer);
    if (found != sentence.end() && std::ranges::find(sentence, asked) != sentence.end()) {
      return static_cast<Index>(begin) + (found - sentence.begin());
    }
    end = begin;
  }
  throw std::logic_error("a story without its answer");
}

// Pairs the word asked for with the answer, and the rows that write either with its source row.
Relations relations_of_question(const Example& example, TokenId full_stop) {
  const auto length = static_cast<Index>(example.source.size());
  const Index asked = length - 2;  // before the question mark
  const auto story =
      std::span(example.source).first(static_cast<std::size_t>(length - question_tokens));
  const Index answer = answer_row(story, example.source[static_cast<std::size_t>(asked)],
                                  example.target.back(), full_stop);
  return {{.name = "question to answer", .side = RelationSide::source, .pairs = {{asked, answer}}},
          {.name = "question", .side = RelationSide::across, .pairs = {{0, asked}}},
          {.name = "answer", .side = RelationSide::across, .pairs = {{1, answer}}}};
}

void leave_out_story(Example& example) {
  example.source.erase(example.source.begin(), example.source.end() - question_tokens);
}

Task make_questions(const TaskOptions& options, const TaskMaking& making) {
  const auto tokenizer = std::make_shared<VocabularyTokenizer>(
      Vocabulary(grammar::story_words({"who", "has", "where", "is", "?"})), Unit::word);
  if (!options.as<QuestionOptions>().story) {
    return make_story_task(options, tokenizer, draw_question, nullptr, making, leave_out_story);
  }
  const RelationsOf find = [full_stop = tokenizer->encode(".").front()](const Example& example) {
    return relations_of_question(example, full_stop);
  };
  return make_story_task(options, tokenizer, draw_question, find, making);
}

}  // namespace

extern constinit const TaskKind story_questions_task{
    .name = "story_questions",
    .options = options_of<QuestionOptions, StoryOptions, SplitSizes>,
    .rules = story_rules,
    .longest = longest_story,
    .splits = story_splits,
    .shrink = shrink_stories,
    .make = make_questions};

}  // namespace tapehead
