// All words of the small grammar, from its lexicon.
#include <set>

#include "datasets/grammar/lexicon.hpp"
#include "datasets/grammar/sentence.hpp"

namespace tapehead::grammar {

namespace {

using WordSet = std::set<std::string>;

void add(WordSet& words, std::initializer_list<std::string_view> forms) {
  words.insert(forms.begin(), forms.end());
}

void add_inflected(WordSet& words, std::string_view stem,
                   std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    words.insert(std::string(stem).append(ending));
  }
}

void add_noun(WordSet& words, const Noun& noun) {
  add(words, {noun.singular, noun.plural, noun.german_singular, noun.german_plural});
}

void add_nouns(WordSet& words, std::span<const Noun> nouns) {
  for (const Noun& noun : nouns) {
    add_noun(words, noun);
  }
}

// Only of nouns that can be a recipient or a place; things are only objects.
void add_dative_plurals(WordSet& words, std::span<const Noun> nouns) {
  for (const Noun& noun : nouns) {
    words.emplace(noun.german_dative_plural);
  }
}

// A homonym is a place after verbs without an object.
void add_homonyms(WordSet& words) {
  for (const Meaning& meaning : meanings()) {
    add_noun(words, meaning.noun);
    if (meaning.is_place) {
      words.emplace(meaning.noun.german_dative_plural);
    }
  }
}

void add_verbs(WordSet& words) {
  for (const Verb& verb : verbs()) {
    add(words,
        {verb.base, verb.third, verb.past, verb.participle, verb.german_infinitive,
         verb.german_third, verb.german_past, verb.german_past_plural, verb.german_participle});
  }
  add(words, {"has", "have", "will", "hat", "haben", "ist", "sind", "wird", "werden"});
}

void add_determiners(WordSet& words) {
  add(words, {"the", "this", "these", "a", "an", "my"});
  add_inflected(words, "d", {"er", "ie", "as", "en", "em"});
  add_inflected(words, "dies", {"er", "e", "es", "en", "em"});
  add_inflected(words, "ein", {"", "e", "en", "em", "er"});
  add_inflected(words, "mein", {"", "e", "en", "em", "er"});
}

}  // namespace

std::vector<std::string> all_words(bool homonyms) {
  WordSet words{","};
  for (const auto nouns : {beings(), things(), places()}) {
    add_nouns(words, nouns);
  }
  add_dative_plurals(words, beings());
  add_dative_plurals(words, places());
  for (const Adjective& adjective : adjectives()) {
    words.emplace(adjective.english);
    add_inflected(words, adjective.german_stem, {"e", "en", "er", "es"});
  }
  add_verbs(words);
  add_determiners(words);
  for (const auto pairs : {adverbs(), prepositions(), conjunctions()}) {
    for (const WordPair& pair : pairs) {
      add(words, {pair.english, pair.german});
    }
  }
  if (homonyms) {
    add_homonyms(words);
  }
  return {words.begin(), words.end()};
}

}  // namespace tapehead::grammar
