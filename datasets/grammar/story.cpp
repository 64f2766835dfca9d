#include "datasets/grammar/story.hpp"

#include "core/random/draws.hpp"
#include "core/text.hpp"

namespace tapehead::grammar {

namespace {

constexpr Index things_of_a_cast = 4;
constexpr Index beings_of_a_cast = 5;
constexpr std::string_view full_stop = ".";

std::size_t number_in(std::span<const Noun> nouns, const Noun& noun) {
  return static_cast<std::size_t>(&noun - nouns.data());
}

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

NounPhrase the(const Noun& noun) { return {.determiner = Determiner::the, .noun = &noun}; }

// Of the verbs with this valency, all but "show": what is shown is not given away.
std::vector<const Verb*> verbs_with(Valency valency) {
  std::vector<const Verb*> found;
  for (const Verb& verb : verbs()) {
    if (verb.valency == valency && verb.base != "show") {
      found.push_back(&verb);
    }
  }
  return found;
}

std::vector<const Verb*> going_verbs() { return verbs_with(Valency::none); }

}  // namespace

bool is_thing(const Noun& noun) {
  return std::ranges::any_of(things(), [&](const Noun& thing) { return &thing == &noun; });
}

Combinations::Combinations(std::uint64_t seed)
    : holders_(draw_permutation(Draws(seed, "task/holders", 0), std::ssize(beings()))),
      places_(draw_permutation(Draws(seed, "task/places", 0), std::ssize(places()))) {}

bool Combinations::held_out(const Fact& fact) const {
  if (is_thing(*fact.about)) {
    const Index holder = holders_[number_in(things(), *fact.about) % holders_.size()];
    return fact.value == &beings()[static_cast<std::size_t>(holder)];
  }
  const Index place = places_[number_in(beings(), *fact.about) % places_.size()];
  return fact.value == &places()[static_cast<std::size_t>(place)];
}

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
  const auto choices = giving_verbs();
  const Verb& verb = *random_.one_of(choices);
  sentences_.push_back({giving(*giver, *receiver, thing, verb), {&thing, receiver}});
}

void Story::go(const Noun& being) {
  const Noun* place = draw_value(being, all_of(places()), value_of(being));
  const auto choices = going_verbs();
  const Clause clause{.verb = random_.one_of(choices),
                      .tense = Tense::past,
                      .subject = the(being),
                      .place = Place{&random_.one_of(prepositions()), the(*place)}};
  sentences_.push_back({clause, {&being, place}});
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

std::vector<const Verb*> giving_verbs() { return verbs_with(Valency::both); }

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
  for (const auto& list : {giving_verbs(), going_verbs()}) {
    for (const Verb* verb : list) {
      words.emplace(verb->past);
    }
  }
  for (const WordPair& preposition : prepositions()) {
    words.emplace(preposition.english);
  }
  return {words.begin(), words.end()};
}

}  // namespace tapehead::grammar
