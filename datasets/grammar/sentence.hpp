// A sentence of the small grammar (who does what to whom, where and when), its words in the two
// languages, and the relations between these words.
#pragma once

#include "datasets/grammar/lexicon.hpp"
#include "datasets/sequence.hpp"

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

inline Role role_of(Determiner determiner) {
  return determiner == Determiner::my ? Role::possessive : Role::determiner;
}

// A sentence under construction, each word with its part in the sentence.
struct Words {
  std::vector<Word> list{};
  bool subordinate = false;  // whether words added later belong to the subordinate clause

  // A word, or a stem and its ending.
  void add(Part part, std::string_view stem, std::string_view ending = "") {
    part.subordinate = subordinate;
    list.push_back({std::string(stem).append(ending), part});
  }
};

struct NounPhrase {
  std::optional<Determiner> determiner;  // missing only in the plural: "old teachers"
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
  std::optional<Clause> subordinate{};  // present if `conjunction` is
};

// Draws sentence number `number` of a stream. `homonyms`: whether it may have homonyms; `mat`:
// whether someone may sit, on a mat.
Sentence draw_sentence(const Draws& draws, Index number, bool homonyms = false, bool mat = false);

// The sentence in the two languages. The English sentence determines the German one.
std::vector<Word> english_words(const Sentence& sentence);
std::vector<Word> german_words(const Sentence& sentence);
std::string to_english(const Sentence& sentence);
std::string to_german(const Sentence& sentence);

// The relations between the words of a sentence. A sentence of n words has n rows.
//
// `across`: "translation" pairs each German word with the English word that it translates. The
// comma translates no word.
//
// `source` and `target`: each relation in both directions, since an attention head may follow
// either: "determiner to noun" and "noun to determiner". Likewise "possessor to noun" (my),
// "adjective to noun" and "subject to verb". "object to verb" includes the dative object of a verb
// without another object. "recipient to verb" is for verbs with both. In "object to preposition",
// the object is the noun after the preposition. The verb is the word for the action, not an
// auxiliary. In the target, the row of a word is the row that reads it, and pairs with a key after
// the query are left out.
//
// With `homonyms` also theirs. The context of a homonym is the verb of its clause. `across`:
// "homonym" and "context" pair the row that predicts the German noun with the English homonym and
// with its context. `source`: "homonym to context" and "context to homonym".
Relations relations_of(const Sentence& sentence, bool homonyms = false);

}  // namespace tapehead::grammar
