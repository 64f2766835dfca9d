// All words of the small grammar, from its lexicon.

#include "datasets/grammar/lexicon.hpp"
#include "datasets/grammar/sentence.hpp"

namespace tapehead::grammar {

namespace {

struct WordSet {
  std::set<std::string> words;

  void add(std::initializer_list<std::string_view> forms) {
    words.insert(forms.begin(), forms.end());
  }
  void add_inflected(std::string_view stem, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
      words.insert(std::string(stem).append(ending));
    }
  }
  // `dative`: it can be a recipient or a place; things are only objects.
  void add_noun(const Noun& noun, bool dative) {
    add({noun.singular, noun.plural, noun.german_singular, noun.german_plural,
         dative ? noun.german_dative_plural : noun.german_plural});
  }
  void add_verb(const Verb& verb) {
    add({verb.base, verb.third, verb.past, verb.participle, verb.german_infinitive,
         verb.german_third, verb.german_past, verb.german_past_plural, verb.german_participle});
  }
};

}  // namespace

std::vector<std::string> all_words(bool homonyms) {
  WordSet all{{",", "the", "this", "these", "a", "an", "my", "has", "have", "will", "hat", "haben",
               "ist", "sind", "wird", "werden"}};
  all.add_inflected("d", {"er", "ie", "as", "en", "em"});
  all.add_inflected("dies", {"er", "e", "es", "en", "em"});
  all.add_inflected("ein", {"", "e", "en", "em", "er"});
  all.add_inflected("mein", {"", "e", "en", "em", "er"});
  for (const auto nouns : {beings(), things(), places()}) {
    for (const Noun& noun : nouns) {
      all.add_noun(noun, nouns.data() != things().data());
    }
  }
  for (const Adjective& adjective : adjectives()) {
    all.add({adjective.english});
    all.add_inflected(adjective.german_stem, {"e", "en", "er", "es"});
  }
  for (const Verb& verb : verbs()) {
    all.add_verb(verb);
  }
  for (const auto pairs : {adverbs(), prepositions(), conjunctions()}) {
    for (const WordPair& pair : pairs) {
      all.add({pair.english, pair.german});
    }
  }
  for (const Meaning& meaning : homonyms ? meanings() : std::span<const Meaning>()) {
    all.add_noun(meaning.noun, meaning.is_place);  // a homonym can be a place
  }
  return {all.words.begin(), all.words.end()};
}

}  // namespace tapehead::grammar
