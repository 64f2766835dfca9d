// The words of the small grammar, English and German, with the forms that agreement requires.
#pragma once

#include "core/prelude.hpp"

namespace tapehead::grammar {

enum class Gender { masculine, feminine, neuter };
enum class Case { nominative, accusative, dative };
enum class Tense { present, past, perfect, future };
enum class Determiner { the, this_, a, my };

// German nouns of the strong declension: only the dative plural has its own form.
struct Noun {
  std::string_view singular;
  std::string_view plural;
  Gender gender;
  std::string_view german_singular;
  std::string_view german_plural;
  std::string_view german_dative_plural;
};

struct Adjective {
  std::string_view english;
  std::string_view german_stem;
};

// What a verb takes besides its subject: no object; an object in the accusative; an object in the
// dative; or both, a recipient in the dative and an object in the accusative.
enum class Valency { none, accusative, dative, both };

struct Verb {
  Valency valency;
  std::string_view base;
  std::string_view third;  // he ...s
  std::string_view past;
  std::string_view participle;
  std::string_view german_infinitive;  // also the plural of the present
  std::string_view german_third;
  std::string_view german_past;
  std::string_view german_past_plural;
  std::string_view german_participle;
  bool german_sein = false;  // perfect with "sein" instead of "haben"
};

struct WordPair {
  std::string_view english;
  std::string_view german;
};

std::span<const Noun> beings();
std::span<const Noun> things();
std::span<const Noun> places();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();
std::span<const WordPair> adverbs();       // at the beginning of a sentence
std::span<const WordPair> prepositions();  // with the dative
std::span<const WordPair> conjunctions();  // with the verb at the end of the clause

// Homonyms: English nouns with two meanings, each with its own German noun. The verb of the clause
// is the context that decides the meaning.
struct Meaning {
  Noun noun;
  std::array<std::string_view, 2> verbs;  // bases of the verbs that fit this meaning
  bool is_place = false;                  // a place after verbs without an object
};

// The two meanings of a homonym stand next to each other. Their verbs are different.
std::span<const Meaning> meanings();

bool is_homonym(const Noun& noun);

// The words of "the cat sat on the mat" that are in no list above.
struct MatWords {
  Verb sit;
  WordPair on;
  Noun mat;
};
const MatWords& mat_words();

// The distinct words of the two languages, in byte order, with homonyms and the words of the mat if
// wanted.
std::vector<std::string> all_words(bool homonyms = false, bool mat = false);

}  // namespace tapehead::grammar
