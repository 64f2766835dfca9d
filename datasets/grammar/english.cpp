// Saying a sentence in English.
#include "datasets/grammar/sentence.hpp"
#include "datasets/grammar/words.hpp"

namespace tapehead::grammar {

namespace {

std::string_view form_of(Determiner determiner, bool plural, std::string_view next) {
  switch (determiner) {
    case Determiner::the:
      return "the";
    case Determiner::this_:
      return plural ? "these" : "this";
    case Determiner::my:
      return "my";
    case Determiner::a:
      break;
  }
  return std::string_view("aeiou").find(next.front()) == std::string_view::npos ? "a" : "an";
}

void say(Words& words, const NounPhrase& phrase) {
  const std::string_view noun = phrase.plural ? phrase.noun->plural : phrase.noun->singular;
  if (phrase.determiner) {
    const std::string_view next = phrase.adjective ? phrase.adjective->english : noun;
    words.add(form_of(*phrase.determiner, phrase.plural, next));
  }
  if (phrase.adjective) {
    words.add(phrase.adjective->english);
  }
  words.add(noun);
}

void say_verb(Words& words, const Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool plural = clause.subject.plural;
  switch (clause.tense) {
    case Tense::present:
      return words.add(plural ? verb.base : verb.third);
    case Tense::past:
      return words.add(verb.past);
    case Tense::perfect:
      words.add(plural ? "have" : "has");
      return words.add(verb.participle);
    case Tense::future:
      words.add("will");
      return words.add(verb.base);
  }
}

// Subject, verb, recipient, object, place.
void say(Words& words, const Clause& clause) {
  say(words, clause.subject);
  say_verb(words, clause);
  if (clause.recipient) {
    say(words, *clause.recipient);
  }
  if (clause.object) {
    say(words, *clause.object);
  }
  if (clause.place) {
    words.add(clause.place->preposition->english);
    say(words, clause.place->where);
  }
}

}  // namespace

std::string to_english(const Sentence& sentence) {
  Words words;
  if (sentence.adverb) {
    words.add(sentence.adverb->english);
  }
  say(words, sentence.main);
  if (sentence.subordinate) {
    words.add(sentence.conjunction->english);
    say(words, *sentence.subordinate);
  }
  return words.text();
}

}  // namespace tapehead::grammar
