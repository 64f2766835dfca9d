// A sentence of the small grammar, before it is written: who does what to whom, where and when.
#pragma once

#include "core/random/draws.hpp"
#include "datasets/grammar/lexicon.hpp"

namespace tapehead::grammar {

enum class Role {
  adverb,
  comma,
  conjunction,
  auxiliary,  // the finite verb of a compound tense
  verb,
  preposition,
  determiner,
  possessive,
  adjective,
  noun
};
enum class Phrase { none, subject, recipient, object, place };

// No sentence has a part twice. Words of the two languages with the same part are translations.
struct Part {
  Role role;
  Phrase phrase = Phrase::none;
  bool subordinate = false;

  bool operator==(const Part&) const = default;
};

struct Word {
  std::string text;
  Part part;
};

// A sentence under construction, each word with its part in the sentence.
class Words {
 public:
  // A word, or a stem and its ending.
  void add(Part part, std::string_view stem, std::string_view ending = "") {
    part.subordinate = subordinate_;
    words_.push_back({std::string(stem).append(ending), part});
  }
  // All words added later belong to the subordinate clause.
  void begin_subordinate() { subordinate_ = true; }
  std::vector<Word> take() { return std::move(words_); }

 private:
  std::vector<Word> words_;
  bool subordinate_ = false;
};

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
  std::optional<NounPhrase> recipient{};
  std::optional<NounPhrase> object{};
  std::optional<Place> place{};
};

struct Sentence {
  const WordPair* adverb = nullptr;
  Clause main;
  const WordPair* conjunction = nullptr;
  std::optional<Clause> subordinate{};  // present if the conjunction is
};

// Sentence number `number` of a stream. With homonyms it may have them.
Sentence draw_sentence(const Draws& draws, Index number, bool homonyms = false);

// The sentence in the two languages. The English sentence determines the German one.
std::vector<Word> english_words(const Sentence& sentence);
std::vector<Word> german_words(const Sentence& sentence);
std::string to_english(const Sentence& sentence);
std::string to_german(const Sentence& sentence);

// All different words of the two languages, with those of homonyms if wanted, in byte order.
std::vector<std::string> all_words(bool homonyms = false);

}  // namespace tapehead::grammar
