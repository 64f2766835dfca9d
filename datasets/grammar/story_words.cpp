// Writes stories in English.
#include <algorithm>
#include <set>

#include "datasets/grammar/story.hpp"

namespace tapehead::grammar {

namespace {

constexpr std::string_view full_stop = ".";

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

}  // namespace

Clause giving(const Noun& giver, const Noun& receiver, const Noun& thing, const Verb& verb) {
  return {.verb = &verb,
          .tense = Tense::past,
          .subject = the(giver),
          .recipient = the(receiver),
          .object = the(thing),
          .place = {}};
}

Clause going(const Noun& being, const WordPair& preposition, const Noun& place, const Verb& verb) {
  return {.verb = &verb,
          .tense = Tense::past,
          .subject = the(being),
          .recipient = {},
          .object = {},
          .place = Place{&preposition, the(place)}};
}

std::vector<const Verb*> giving_verbs() { return verbs_with(Valency::both); }

std::vector<const Verb*> going_verbs() { return verbs_with(Valency::none); }

std::string to_english(const std::vector<StorySentence>& story) {
  std::string text;
  for (const StorySentence& sentence : story) {
    text += text.empty() ? "" : " ";
    text += to_english(Sentence{.main = sentence.clause, .subordinate = {}});
    text.append(" ").append(full_stop);
  }
  return text;
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
