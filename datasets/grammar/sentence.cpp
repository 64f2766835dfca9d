// Drawing a sentence.
#include "datasets/grammar/sentence.hpp"

#include <array>

namespace tapehead::grammar {

namespace {

// The draws of one sentence, taken one after another.
class Dice {
 public:
  Dice(const Draws& draws, Index number)
      : draws_(draws), next_(static_cast<std::uint64_t>(number) << draws_each) {}

  Index below(std::size_t bound) { return draw_below(draws_, next_++, static_cast<Index>(bound)); }
  bool one_in(std::size_t count) { return below(count) == 0; }

  template <class T>
  const T* pick(std::span<const T> list) {
    return &list[static_cast<std::size_t>(below(list.size()))];
  }

 private:
  static constexpr int draws_each = 8;  // 2^8, more than any sentence needs
  const Draws& draws_;
  std::uint64_t next_;
};

NounPhrase draw_noun_phrase(Dice& dice, std::span<const Noun> nouns) {
  NounPhrase phrase;
  phrase.noun = dice.pick(nouns);
  phrase.plural = dice.one_in(3);
  phrase.determiner = static_cast<Determiner>(dice.below(4));
  if (phrase.plural && phrase.determiner == Determiner::a) {
    phrase.determiner.reset();
  }
  if (dice.one_in(2)) {
    phrase.adjective = dice.pick(adjectives());
  }
  return phrase;
}

Clause draw_clause(Dice& dice) {
  Clause clause;
  clause.verb = dice.pick(verbs());
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
    clause.place = Place{dice.pick(prepositions()), draw_noun_phrase(dice, places())};
  }
  return clause;
}

}  // namespace

Sentence draw_sentence(const Draws& draws, Index number) {
  Dice dice(draws, number);
  Sentence sentence;
  if (dice.one_in(3)) {
    sentence.adverb = dice.pick(adverbs());
  }
  sentence.main = draw_clause(dice);
  if (dice.one_in(4)) {
    sentence.conjunction = dice.pick(conjunctions());
    sentence.subordinate = draw_clause(dice);
  }
  return sentence;
}

}  // namespace tapehead::grammar
