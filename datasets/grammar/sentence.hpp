// A sentence of the small grammar, before it is written in either language: who does what to whom,
// where, when and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/random/draws.hpp"
#include "datasets/grammar/lexicon.hpp"
#include "datasets/grammar/words.hpp"

namespace tapehead::grammar {

struct NounPhrase {
  std::optional<Determiner> determiner;  // none only in the plural: "old teachers"
  const Adjective* adjective = nullptr;
  const Noun* noun = nullptr;
  bool plural = false;
};

struct Place {
  const WordPair* preposition = nullptr;
  NounPhrase where;
};

struct Clause {
  const Verb* verb = nullptr;
  Tense tense = Tense::present;
  NounPhrase subject;
  std::optional<NounPhrase> recipient;
  std::optional<NounPhrase> object;
  std::optional<Place> place;
};

struct Sentence {
  const WordPair* adverb = nullptr;
  Clause main;
  const WordPair* conjunction = nullptr;
  std::optional<Clause> subordinate;  // present if the conjunction is
};

// Sentence number `number` of a stream. With homonyms it may have them (homonyms.hpp).
Sentence draw_sentence(const Draws& draws, Index number, bool homonyms = false);

// The sentence in the two languages. Both functions are pure. The English sentence determines the
// German one.
std::vector<Word> english_words(const Sentence& sentence);
std::vector<Word> german_words(const Sentence& sentence);
std::string to_english(const Sentence& sentence);
std::string to_german(const Sentence& sentence);

// All words that occur in the two languages, those of homonyms if there are any, in byte order,
// without duplicates.
std::vector<std::string> all_words(bool homonyms = false);

}  // namespace tapehead::grammar
