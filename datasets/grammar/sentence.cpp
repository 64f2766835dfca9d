#include "datasets/grammar/sentence.hpp"

#include "core/text.hpp"
#include "datasets/random_source.hpp"

namespace tapehead::grammar {

namespace {

constexpr int draw_bits_each = 8;  // 2^8 draws, more than any sentence needs

NounPhrase draw_noun_phrase(RandomSource& random, std::span<const Noun> nouns) {
  NounPhrase phrase;
  phrase.noun = &random.one_of(nouns);
  phrase.plural = random.one_in(3);
  phrase.determiner = static_cast<Determiner>(random.below(4));
  if (phrase.plural && phrase.determiner == Determiner::a) {
    phrase.determiner.reset();
  }
  if (random.one_in(2)) {
    phrase.adjective = &random.one_of(adjectives());
  }
  return phrase;
}

Clause draw_clause(RandomSource& random) {
  Clause clause;
  clause.verb = &random.one_of(verbs());
  clause.tense = static_cast<Tense>(random.below(4));
  clause.subject = draw_noun_phrase(random, beings());
  const Valency valency = clause.verb->valency;
  if (valency == Valency::dative || valency == Valency::both) {
    clause.recipient = draw_noun_phrase(random, beings());
  }
  if (valency == Valency::accusative || valency == Valency::both) {
    const std::array kinds{beings(), things(), places()};
    clause.object = draw_noun_phrase(random, random.one_of(kinds));
  }
  if (random.one_in(3)) {
    clause.place = Place{&random.one_of(prepositions()), draw_noun_phrase(random, places())};
  }
  return clause;
}

// The phrase of a clause that such a noun would replace; null if the clause has none.
NounPhrase* phrase_for(const Meaning& meaning, Clause& clause) {
  if (meaning.is_place) {
    return clause.place ? &clause.place->where : nullptr;
  }
  return &*clause.object;
}

// In half of the clauses whose verb goes with a meaning, it replaces the object, or the place.
void put_homonym(RandomSource& random, Clause& clause) {
  std::vector<const Meaning*> fitting;
  for (const Meaning& meaning : meanings()) {
    if (std::ranges::find(meaning.verbs, clause.verb->base) != meaning.verbs.end()) {
      fitting.push_back(&meaning);
    }
  }
  if (fitting.empty() || random.one_in(2)) {
    return;
  }
  const Meaning& meaning = *random.one_of(fitting);
  if (NounPhrase* phrase = phrase_for(meaning, clause)) {
    phrase->noun = &meaning.noun;
  }
}

std::string text_of(const std::vector<Word>& words) {
  return join(words | std::views::transform(&Word::text), " ");
}

}  // namespace

Sentence draw_sentence(const Draws& draws, Index number, bool homonyms) {
  RandomSource random(draws, number, draw_bits_each);
  Sentence sentence;
  if (random.one_in(3)) {
    sentence.adverb = &random.one_of(adverbs());
  }
  sentence.main = draw_clause(random);
  if (random.one_in(4)) {
    sentence.conjunction = &random.one_of(conjunctions());
    sentence.subordinate = draw_clause(random);
  }
  if (homonyms) {
    put_homonym(random, sentence.main);
    if (sentence.subordinate) {
      put_homonym(random, *sentence.subordinate);
    }
  }
  return sentence;
}

std::string to_english(const Sentence& sentence) { return text_of(english_words(sentence)); }

std::string to_german(const Sentence& sentence) { return text_of(german_words(sentence)); }

}  // namespace tapehead::grammar
