#include "datasets/grammar/story.hpp"

#include <algorithm>
#include <ranges>

namespace tapehead::grammar {

namespace {

constexpr Index things_of_a_cast = 4;
constexpr Index beings_of_a_cast = 5;

std::vector<const Noun*> all_of(std::span<const Noun> nouns) {
  std::vector<const Noun*> all;
  for (const Noun& noun : nouns) {
    all.push_back(&noun);
  }
  return all;
}

std::vector<const Noun*> draw_cast(RandomSource& random, std::span<const Noun> nouns, Index count) {
  std::vector<const Noun*> cast;
  for (const Index number : random.different(count, std::ssize(nouns))) {
    cast.push_back(&nouns[static_cast<std::size_t>(number)]);
  }
  return cast;
}

template <class T>
const T& one_of(RandomSource& random, std::span<const T> list) {
  return list[static_cast<std::size_t>(random.below(std::ssize(list)))];
}

const Verb& one_verb(RandomSource& random, const std::vector<const Verb*>& verbs) {
  return *one_of(random, std::span<const Verb* const>(verbs));
}

}  // namespace

Story::Story(RandomSource& random, const Combinations& combinations, bool held_out)
    : random_(random),
      combinations_(combinations),
      held_out_(held_out),
      things_(draw_cast(random, grammar::things(), things_of_a_cast)),
      beings_(draw_cast(random, grammar::beings(), beings_of_a_cast)) {}

void Story::give(const Noun& thing) {
  const Noun* giver = value_of(thing);
  if (giver == nullptr) {
    giver = draw_value(thing, beings_, nullptr);
  }
  const Noun* receiver = draw_value(thing, beings_, giver);
  const Verb& verb = one_verb(random_, giving_verbs());
  sentences_.push_back({giving(*giver, *receiver, thing, verb), {&thing, receiver}});
}

void Story::go(const Noun& being) {
  const Noun* place = draw_value(being, all_of(places()), value_of(being));
  const Verb& verb = one_verb(random_, going_verbs());
  const WordPair& preposition = one_of(random_, prepositions());
  sentences_.push_back({going(being, preposition, *place, verb), {&being, place}});
}

std::vector<Fact> Story::facts_about(std::span<const Noun* const> cast) const {
  std::vector<Fact> facts;
  for (const Noun* about : cast) {
    if (const Noun* value = value_of(*about)) {
      facts.push_back({about, value});
    }
  }
  return facts;
}

const Noun* Story::value_of(const Noun& about) const {
  for (const StorySentence& sentence : std::views::reverse(sentences_)) {
    if (sentence.fact.about == &about) {
      return sentence.fact.value;
    }
  }
  return nullptr;
}

const Noun* Story::draw_value(const Noun& about, std::span<const Noun* const> values,
                              const Noun* other) {
  const Noun* value = nullptr;
  do {
    value = one_of(random_, values);
  } while (value == other || (!held_out_ && combinations_.held_out({&about, value})));
  return value;
}

}  // namespace tapehead::grammar
