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

  void fields(const auto& row) {
    row(story, named("story"),
        "whether the source has the story; false: only the question, to show what can be guessed");
  }
};

constexpr Index fewest_distractors = 2;  // facts of the same kind with another answer
constexpr std::size_t question_tokens = 5;

// Stories are drawn until one has an answer of this kind and enough distractors.
Example draw_question(RandomSource& random, const Lengths& lengths,
                      const Combinations& combinations, bool held_out, const Tokenizer& tokenizer) {
  const Index sentences = lengths.draw(random);
  const bool about_a_thing = random.one_in(2);
  while (true) {
    Story story(random, combinations, held_out);
    for (Index sentence = 0; sentence < sentences; ++sentence) {
      story.tell(*random.one_of(random.one_in(2) ? story.things() : story.beings()));
    }
    std::vector<Fact> facts;  // those that are true at the end
    for (const grammar::Noun* about : about_a_thing ? story.things() : story.beings()) {
      if (const grammar::Noun* value = story.value_of(*about)) {
        facts.push_back({about, value});
      }
    }
    if (facts.empty()) {
      continue;
    }
    const Fact& fact = random.one_of(facts);
    const auto distractors =
        std::ranges::count_if(facts, [&](const Fact& other) { return other.value != fact.value; });
    if (distractors >= fewest_distractors && combinations.held_out(fact) == held_out) {
      const std::string_view about = fact.about->singular;
      return {
          .source = tokenizer.encode(fmt::format("{} {} the {} ?", to_english(story.sentences()),
                                                 about_a_thing ? "who has" : "where is", about)),
          .target = {tokenizer.encode(about).front(),
                     tokenizer.encode(fact.value->singular).front()}};
    }
  }
}

// Pairs the word of the question with the answer, in the last sentence that has both words. Pairs
// the target rows that write these words with the source rows of the words.
Relations relations_of_question(TokenId full_stop, const Example& example) {
  const std::span source(example.source);
  const Index asked = std::ssize(source) - 2;  // before the question mark
  Index answer = -1;
  for (const auto sentence :
       std::views::split(source.first(source.size() - question_tokens), full_stop)) {
    const auto found = std::ranges::find(sentence, example.target.back());
    if (found != sentence.end() &&
        std::ranges::find(sentence, example.target.front()) != sentence.end()) {
      answer = &*found - source.data();
    }
  }
  if (answer < 0) {
    throw std::logic_error("a story without its answer");
  }
  return {{.name = "question to answer", .side = RelationSide::source, .pairs = {{asked, answer}}},
          {.name = "question", .side = RelationSide::across, .pairs = {{0, asked}}},
          {.name = "answer", .side = RelationSide::across, .pairs = {{1, answer}}}};
}

Task make_questions(const TaskOptions& options, const TaskMaking& making) {
  const auto tokenizer = std::make_shared<VocabularyTokenizer>(
      Vocabulary(grammar::story_words({"who", "has", "where", "is", "?"})), Unit::word);
  if (!options.as<QuestionOptions>().story) {
    return make_story_task(
        options, tokenizer, draw_question, nullptr, making, [](Example& example) {
          example.source.erase(example.source.begin(),
                               example.source.end() - std::ptrdiff_t{question_tokens});
        });
  }
  const TokenId full_stop = tokenizer->encode(".").front();
  return make_story_task(options, tokenizer, draw_question,
                         std::bind_front(relations_of_question, full_stop), making);
}

}  // namespace

extern constinit const TaskKind story_questions_task{
    .name = "story_questions",
    .options = options_of<QuestionOptions, StoryOptions, SplitSizes>,
    .rules = story_rules,
    .longest = longest_of<StoryOptions>,
    .splits = story_splits,
    .shrink = shrink_stories,
    .make = make_questions};

}  // namespace tapehead
