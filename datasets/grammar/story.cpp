#include "datasets/grammar/story.hpp"

#include "core/text.hpp"

namespace tapehead::grammar {

namespace {

constexpr Index things_of_a_cast = 4;
constexpr Index beings_of_a_cast = 5;
constexpr std::string_view full_stop = ".";

std::vector<const Noun*> draw_cast(RandomSource& random, std::span<const Noun> nouns, Index count) {
  return mapped(random.different(count, std::ssize(nouns)),
                [&](Index number) { return &nouns[static_cast<std::size_t>(number)]; });
}

NounPhrase the(const Noun& noun) { return {.determiner = Determiner::the, .noun = &noun}; }

}  // namespace

bool is_thing(const Noun& noun) {
  return std::ranges::any_of(things(), [&](const Noun& thing) { return &thing == &noun; });
}

Combinations::Combinations(std::uint64_t seed) {
  const auto hold_out = [&](const char* stream, auto abouts, auto values) {
    const auto order = draw_permutation(Draws(seed, stream, 0), std::ssize(values));
    for (std::size_t i = 0; i < abouts.size(); ++i) {
      values_[&abouts[i]] = &values[static_cast<std::size_t>(order[i % order.size()])];
    }
  };
  hold_out("task/holders", things(), beings());
  hold_out("task/places", beings(), places());
}

Story::Story(RandomSource& random, const Combinations& combinations, bool held_out)
    : random_(random),
      combinations_(combinations),
      held_out_(held_out),
      things_(draw_cast(random, grammar::things(), things_of_a_cast)),
      beings_(draw_cast(random, grammar::beings(), beings_of_a_cast)) {}

void Story::give(const Noun& thing) {
  const Noun* holder = value_of(thing);
  const Noun* giver = holder != nullptr ? holder : draw_value(thing, beings_, nullptr);
  const Noun* receiver = draw_value(thing, beings_, giver);
  const auto choices = verbs_with(Valency::both);
  const Verb& verb = *random_.one_of(choices);
  sentences_.push_back({giving(*giver, *receiver, thing, verb), {&thing, receiver}});
}

void Story::go(const Noun& being) {
  const auto all = mapped(places(), [](const Noun& one) { return &one; });
  const Noun* place = draw_value(being, all, value_of(being));
  const auto choices = verbs_with(Valency::none);
  const Clause clause{.verb = random_.one_of(choices),
                      .tense = Tense::past,
                      .subject = the(being),
                      .place = Place{&random_.one_of(prepositions()), the(*place)}};
  sentences_.push_back({clause, {&being, place}});
}

const Noun* Story::value_of(const Noun& about) const {
  const auto last = std::ranges::find(sentences_.rbegin(), sentences_.rend(), &about,
                                      [](const StorySentence& one) { return one.fact.about; });
  return last == sentences_.rend() ? nullptr : last->fact.value;
}

const Noun* Story::draw_value(const Noun& about, std::span<const Noun* const> values,
                              const Noun* other) {
  const Noun* value = nullptr;
  do {
    value = random_.one_of(values);
  } while (value == other || (!held_out_ && combinations_.held_out({&about, value})));
  return value;
}

Clause giving(const Noun& giver, const Noun& receiver, const Noun& thing, const Verb& verb) {
  return {.verb = &verb,
          .tense = Tense::past,
          .subject = the(giver),
          .recipient = the(receiver),
          .object = the(thing)};
}

std::vector<const Verb*> verbs_with(Valency valency) {
  std::vector<const Verb*> found;
  for (const Verb& verb : verbs()) {
    if (verb.valency == valency && verb.base != "show") {  // showing does not give a thing away
      found.push_back(&verb);
    }
  }
  return found;
}

std::string to_english(const std::vector<StorySentence>& story) {
  const auto in_words = [](const StorySentence& sentence) {
    return fmt::format("{} {}", to_english(Sentence{.main = sentence.clause}), full_stop);
  };
  return join(story | std::views::transform(in_words), " ");
}

std::vector<std::string> story_words(std::initializer_list<std::string_view> more) {
  std::set<std::string> words(more.begin(), more.end());
  words.emplace("the");
  words.emplace(full_stop);
  for (const auto nouns : {beings(), things(), places()}) {
    for (const Noun& noun : nouns) {
      words.emplace(noun.singular);
    }
  }
  for (const Valency valency : {Valency::both, Valency::none}) {
    for (const Verb* verb : verbs_with(valency)) {
      words.emplace(verb->past);
    }
  }
  for (const WordPair& preposition : prepositions()) {
    words.emplace(preposition.english);
  }
  return {words.begin(), words.end()};
}

}  // namespace tapehead::grammar

namespace tapehead {

constinit const std::array<TaskRule, 1> story_rules{TaskRule{
    "`task.min_sentences` is at most `task.max_sentences`, and the split `longer` begins beyond "
    "it.",
    [](const TaskOptions& options) {
      const auto& story = options.as<StoryOptions>();
      return first_violation(
          {violation_if(story.min_sentences > story.max_sentences,
                        {"task.min_sentences", "task.max_sentences"},
                        "more than task.max_sentences ({}, {})", story.min_sentences,
                        story.max_sentences),
           violation_if(story.longer_min_sentences <= story.max_sentences,
                        {"task.longer_min_sentences", "task.max_sentences"},
                        "the split `longer` must begin beyond task.max_sentences ({}, {})",
                        story.longer_min_sentences, story.max_sentences),
           violation_if(story.longer_min_sentences > story.longer_max_sentences,
                        {"task.longer_max_sentences", "task.longer_min_sentences"},
                        "fewer than task.longer_min_sentences ({}, {})", story.longer_max_sentences,
                        story.longer_min_sentences)});
    }}};

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
  const Lengths sentences{story.min_sentences, story.max_sentences};
  return make_splits(
      {.tokenizer = tokenizer,
       .draw = draw_from(false),
       .relations = relations,
       .sources = "stories",
       .remedy = "task.max_sentences",
       .sizes = options.as<SplitSizes>(),
       .lengths = sentences,
       .further = {{.name = "combinations",
                    .examples = story.further_examples,
                    .lengths = sentences,
                    .draw = draw_from(true)},
                   {.name = "longer",
                    .examples = story.further_examples,
                    .lengths = {story.longer_min_sentences, story.longer_max_sentences}}},
       .leave_out = std::move(leave_out)},
      making);
}

}  // namespace tapehead
