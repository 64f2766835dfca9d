// Drawing a sentence, and its text.
#include "datasets/grammar/sentence.hpp"

#include <array>
#include <string>
#include <vector>

#include "datasets/dice.hpp"

namespace tapehead::grammar {

namespace {

constexpr int draw_bits_each = 8;  // 2^8 draws, more than any sentence takes

template <class T>
const T* pick(Dice& dice, std::span<const T> list) {
  return &list[static_cast<std::size_t>(dice.below(static_cast<Index>(list.size())))];
}

NounPhrase draw_noun_phrase(Dice& dice, std::span<const Noun> nouns) {
  NounPhrase phrase;
  phrase.noun = pick(dice, nouns);
  phrase.plural = dice.one_in(3);
  phrase.determiner = static_cast<Determiner>(dice.below(4));
  if (phrase.plural && phrase.determiner == Determiner::a) {
    phrase.determiner.reset();
  }
  if (dice.one_in(2)) {
    phrase.adjective = pick(dice, adjectives());
  }
  return phrase;
}

Clause draw_clause(Dice& dice) {
  Clause clause;
  clause.verb = pick(dice, verbs());
  clause.tense = static_cast<Tense>(dice.below(4));
  clause.subject = draw_noun_phrase(dice, beings());
  const Valency valency = clause.verb->valency;
  if (valency == Valency::dative || valency == Valency::both) {
    clause.recipient = draw_noun_phrase(dice, beings());
  }
  if (valency == Valency::accusative || valency == Valency::both) {
    const std::array kinds{beings(), things(), places()};
    clause.object = draw_noun_phrase(dice, kinds[static_cast<std::size_t>(dice.below(3))]);
  }
  if (dice.one_in(3)) {
    clause.place = Place{pick(dice, prepositions()), draw_noun_phrase(dice, places())};
  }
  return clause;
}

std::string text_of(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) {
    text += text.empty() ? "" : " ";
    text += word.text;
  }
  return text;
}

}  // namespace

Sentence draw_sentence(const Draws& draws, Index number) {
  Dice dice(draws, number, draw_bits_each);
  Sentence sentence;
  if (dice.one_in(3)) {
    sentence.adverb = pick(dice, adverbs());
  }
  sentence.main = draw_clause(dice);
  if (dice.one_in(4)) {
    sentence.conjunction = pick(dice, conjunctions());
    sentence.subordinate = draw_clause(dice);
  }
  return sentence;
}

std::string to_english(const Sentence& sentence) { return text_of(english_words(sentence)); }

std::string to_german(const Sentence& sentence) { return text_of(german_words(sentence)); }

}  // namespace tapehead::grammar
