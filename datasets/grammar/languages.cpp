// Writes a sentence in English, and in German. German determiners and adjectives agree with gender,
// number and case. In the main clause the finite verb comes second, before the subject if an adverb
// comes first, and the rest of the verb last; in the subordinate clause the whole verb comes last.
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

// Rows: masculine, feminine, neuter, plural; columns: nominative, accusative, dative.
using Endings = std::array<std::array<std::string_view, 3>, 4>;

constexpr Endings the_forms{
    {{"der", "den", "dem"}, {"die", "die", "der"}, {"das", "das", "dem"}, {"die", "die", "den"}}};
constexpr Endings this_endings{
    {{"er", "en", "em"}, {"e", "e", "er"}, {"es", "es", "em"}, {"e", "e", "en"}}};
constexpr Endings a_endings{{{"", "en", "em"}, {"e", "e", "er"}, {"", "", "em"}, {"e", "e", "en"}}};

// Adjectives decline weakly after "der" and "dieser", mixed after "ein" and "mein", strongly
// without a determiner (here: only in the plural).
constexpr Endings weak_endings{
    {{"e", "en", "en"}, {"e", "e", "en"}, {"e", "e", "en"}, {"en", "en", "en"}}};
constexpr Endings mixed_endings{
    {{"er", "en", "en"}, {"e", "e", "en"}, {"es", "es", "en"}, {"en", "en", "en"}}};

struct DeclinedWord {
  std::string_view stem;
  const Endings* endings;
  const Endings* adjective_endings;  // of an adjective after it
};
// In the order of Determiner.
constexpr std::array determiners{DeclinedWord{"", &the_forms, &weak_endings},
                                 DeclinedWord{"dies", &this_endings, &weak_endings},
                                 DeclinedWord{"ein", &a_endings, &mixed_endings},
                                 DeclinedWord{"mein", &a_endings, &mixed_endings}};

std::string_view in(const Endings& endings, const NounPhrase& phrase, Case role) {
  const auto row = phrase.plural ? 3 : static_cast<std::size_t>(phrase.noun->gender);
  return endings[row][static_cast<std::size_t>(role)];
}

void say(Words& words, const NounPhrase& phrase, Phrase where, Case role) {
  const Noun& noun = *phrase.noun;
  const Endings* adjective_endings = &this_endings;
  if (phrase.determiner) {
    const auto& [stem, endings, after] = determiners[static_cast<std::size_t>(*phrase.determiner)];
    words.add({role_of(*phrase.determiner), where}, stem, in(*endings, phrase, role));
    adjective_endings = after;
  }
  if (phrase.adjective) {
    words.add({Role::adjective, where}, phrase.adjective->german_stem,
              in(*adjective_endings, phrase, role));
  }
  const std::string_view plural =
      role == Case::dative ? noun.german_dative_plural : noun.german_plural;
  words.add({Role::noun, where}, phrase.plural ? plural : noun.german_singular);
}

// The two parts of the verb. Only compound tenses have a second one; their first is an auxiliary.
struct VerbParts {
  std::string_view finite;
  std::string_view rest;
};

VerbParts verb_parts(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool plural = clause.subject.plural;
  switch (clause.tense) {
    case Tense::present:
      return {plural ? verb.german_infinitive : verb.german_third, ""};
    case Tense::past:
      return {plural ? verb.german_past_plural : verb.german_past, ""};
    case Tense::perfect:
      if (verb.german_sein) {
        return {plural ? "sind" : "ist", verb.german_participle};
      }
      return {plural ? "haben" : "hat", verb.german_participle};
    case Tense::future:
      break;
  }
  return {plural ? "werden" : "wird", verb.german_infinitive};
}

// Where the finite verb stands.
enum class VerbPlace { before_subject, after_subject, last };

void say(Words& words, const Clause& clause, VerbPlace place) {
  const VerbParts verb = verb_parts(clause);
  const auto finite_verb_if = [&](VerbPlace here) {
    if (place == here) {
      words.add({verb.rest.empty() ? Role::verb : Role::auxiliary}, verb.finite);
    }
  };
  finite_verb_if(VerbPlace::before_subject);
  say(words, clause.subject, Phrase::subject, Case::nominative);
  finite_verb_if(VerbPlace::after_subject);
  if (clause.recipient) {
    say(words, *clause.recipient, Phrase::recipient, Case::dative);
  }
  if (clause.object) {
    say(words, *clause.object, Phrase::object, Case::accusative);
  }
  if (clause.place) {
    words.add({Role::preposition}, clause.place->preposition->german);
    say(words, clause.place->where, Phrase::place, Case::dative);
  }
  if (!verb.rest.empty()) {
    words.add({Role::verb}, verb.rest);
  }
  finite_verb_if(VerbPlace::last);
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

std::vector<Word> german_words(const Sentence& sentence) {
  Words words;
  if (sentence.adverb) {
    words.add({Role::adverb}, sentence.adverb->german);
  }
  say(words, sentence.main, sentence.adverb ? VerbPlace::before_subject : VerbPlace::after_subject);
  if (sentence.subordinate) {
    words.subordinate = true;
    words.add({Role::comma}, ",");
    words.add({Role::conjunction}, sentence.conjunction->german);
    say(words, *sentence.subordinate, VerbPlace::last);
  }
  return std::move(words.list);
}

}  // namespace tapehead::grammar
