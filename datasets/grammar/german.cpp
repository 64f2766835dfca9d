// Writes a sentence in German. Determiners and adjectives agree with gender, number and case. In
// the main clause the finite verb comes second and the rest of the verb last; in the subordinate
// clause the whole verb comes last.

#include "datasets/grammar/sentence.hpp"

namespace tapehead::grammar {

namespace {

// Rows: masculine, feminine, neuter, plural; columns: nominative, accusative, dative.
using Endings = std::array<std::array<std::string_view, 3>, 4>;

constexpr Endings the_forms{
    {{"der", "den", "dem"}, {"die", "die", "der"}, {"das", "das", "dem"}, {"die", "die", "den"}}};
constexpr Endings this_endings{
    {{"er", "en", "em"}, {"e", "e", "er"}, {"es", "es", "em"}, {"e", "e", "en"}}};
constexpr Endings a_endings{{{"", "en", "em"}, {"e", "e", "er"}, {"", "", "em"}, {"e", "e", "en"}}};

// In the order of Determiner.
struct DeclinedWord {
  std::string_view stem;
  const Endings* endings;
};
constexpr std::array determiners{DeclinedWord{"", &the_forms}, DeclinedWord{"dies", &this_endings},
                                 DeclinedWord{"ein", &a_endings}, DeclinedWord{"mein", &a_endings}};

// Adjectives decline weakly after "der" and "dieser", mixed after "ein" and "mein", strongly
// without a determiner (here: only in the plural).
constexpr Endings weak_endings{
    {{"e", "en", "en"}, {"e", "e", "en"}, {"e", "e", "en"}, {"en", "en", "en"}}};
constexpr Endings mixed_endings{
    {{"er", "en", "en"}, {"e", "e", "en"}, {"es", "es", "en"}, {"en", "en", "en"}}};

std::string_view in(const Endings& endings, const NounPhrase& phrase, Case role) {
  const auto row = phrase.plural ? 3 : static_cast<std::size_t>(phrase.noun->gender);
  return endings[row][static_cast<std::size_t>(role)];
}

void say_determiner(Words& words, Determiner determiner, const NounPhrase& phrase, Phrase where,
                    Case role) {
  const auto& [stem, endings] = determiners[static_cast<std::size_t>(determiner)];
  const Role part = determiner == Determiner::my ? Role::possessive : Role::determiner;
  words.add({part, where}, stem, in(*endings, phrase, role));
}

std::string_view adjective_ending(const NounPhrase& phrase, Case role) {
  if (!phrase.determiner) {
    return in(this_endings, phrase, role);
  }
  const bool weak = phrase.determiner == Determiner::the || phrase.determiner == Determiner::this_;
  return in(weak ? weak_endings : mixed_endings, phrase, role);
}

void say(Words& words, const NounPhrase& phrase, Phrase where, Case role) {
  const Noun& noun = *phrase.noun;
  if (phrase.determiner) {
    say_determiner(words, *phrase.determiner, phrase, where, role);
  }
  if (phrase.adjective) {
    words.add({Role::adjective, where}, phrase.adjective->german_stem,
              adjective_ending(phrase, role));
  }
  const std::string_view plural =
      role == Case::dative ? noun.german_dative_plural : noun.german_plural;
  words.add({Role::noun, where}, phrase.plural ? plural : noun.german_singular);
}

// The two parts of the verb. Only compound tenses have a second one; their first is an auxiliary.
struct VerbParts {
  std::string_view finite;
  std::string_view rest;

  void say_finite(Words& words) const {
    words.add({rest.empty() ? Role::verb : Role::auxiliary}, finite);
  }
  void say_rest(Words& words) const {
    if (!rest.empty()) {
      words.add({Role::verb}, rest);
    }
  }
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

// Recipient, object, place: the part between the subject and the end of the verb.
void say_middle(Words& words, const Clause& clause) {
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
}

// If an adverb comes first, the subject comes after the verb.
void say_main(Words& words, const Clause& clause, const WordPair* adverb) {
  const VerbParts verb = verb_parts(clause);
  if (adverb) {
    words.add({Role::adverb}, adverb->german);
    verb.say_finite(words);
  }
  say(words, clause.subject, Phrase::subject, Case::nominative);
  if (!adverb) {
    verb.say_finite(words);
  }
  say_middle(words, clause);
  verb.say_rest(words);
}

void say_subordinate(Words& words, const Clause& clause) {
  const VerbParts verb = verb_parts(clause);
  say(words, clause.subject, Phrase::subject, Case::nominative);
  say_middle(words, clause);
  verb.say_rest(words);
  verb.say_finite(words);
}

}  // namespace

std::vector<Word> german_words(const Sentence& sentence) {
  Words words;
  say_main(words, sentence.main, sentence.adverb);
  if (sentence.subordinate) {
    words.begin_subordinate();
    words.add({Role::comma}, ",");
    words.add({Role::conjunction}, sentence.conjunction->german);
    say_subordinate(words, *sentence.subordinate);
  }
  return words.take();
}

}  // namespace tapehead::grammar
