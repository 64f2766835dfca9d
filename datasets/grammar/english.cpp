// Writes a sentence in English.
#include "datasets/grammar/sentence.hpp"

namespace tapehead::grammar {

namespace {

void say(Words& words, const NounPhrase& phrase, Phrase where) {
  const std::string_view noun = phrase.plural ? phrase.noun->plural : phrase.noun->singular;
  if (phrase.determiner) {
    const std::string_view next = phrase.adjective ? phrase.adjective->english : noun;
    const bool vowel = std::string_view("aeiou").find(next.front()) != std::string_view::npos;
    const std::array<std::string_view, 4> forms{"the", phrase.plural ? "these" : "this",
                                                vowel ? "an" : "a", "my"};
    words.add({role_of(*phrase.determiner), where},
              forms[static_cast<std::size_t>(*phrase.determiner)]);
  }
  if (phrase.adjective) {
    words.add({Role::adjective, where}, phrase.adjective->english);
  }
  words.add({Role::noun, where}, noun);
}

void say_verb(Words& words, const Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool plural = clause.subject.plural;
  switch (clause.tense) {
    case Tense::present:
      return words.add({Role::verb}, plural ? verb.base : verb.third);
    case Tense::past:
      return words.add({Role::verb}, verb.past);
    case Tense::perfect:
      words.add({Role::auxiliary}, plural ? "have" : "has");
      return words.add({Role::verb}, verb.participle);
    case Tense::future:
      words.add({Role::auxiliary}, "will");
      return words.add({Role::verb}, verb.base);
  }
}

// Subject, verb, recipient, object, place.
void say(Words& words, const Clause& clause) {
  say(words, clause.subject, Phrase::subject);
  say_verb(words, clause);
  if (clause.recipient) {
    say(words, *clause.recipient, Phrase::recipient);
  }
  if (clause.object) {
    say(words, *clause.object, Phrase::object);
  }
  if (clause.place) {
    words.add({Role::preposition}, clause.place->preposition->english);
    say(words, clause.place->where, Phrase::place);
  }
}

}  // namespace

std::vector<Word> english_words(const Sentence& sentence) {
  Words words;
  if (sentence.adverb) {
    words.add({Role::adverb}, sentence.adverb->english);
  }
  say(words, sentence.main);
  if (sentence.subordinate) {
    words.subordinate = true;
    words.add({Role::conjunction}, sentence.conjunction->english);
    say(words, *sentence.subordinate);
  }
  return std::move(words.list);
}

}  // namespace tapehead::grammar
