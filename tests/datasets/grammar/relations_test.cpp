// The relations between words of the grammar's sentences, checked by its lexicon and by hand.
#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/stories.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using grammar::Noun;
using grammar::Verb;

enum class Kind { determiner, possessor, adjective, noun, verb, preposition, other };

// The word class of each form in the lexicon, and all German forms of each English form, regardless
// of agreement.
class Dictionary {
 public:
  Dictionary() {
    for (const auto nouns : {grammar::beings(), grammar::things(), grammar::places()}) {
      for (const Noun& noun : nouns) {
        add(Kind::noun, noun.singular, {noun.german_singular});
        add(Kind::noun, noun.plural, {noun.german_plural, noun.german_dative_plural});
      }
    }
    for (const Verb& verb : grammar::verbs()) {
      add(Kind::verb, verb.base, {verb.german_infinitive});
      add(Kind::verb, verb.third, {verb.german_third});
      add(Kind::verb, verb.past, {verb.german_past, verb.german_past_plural});
      add(Kind::verb, verb.participle, {verb.german_participle});
    }
    for (const grammar::WordPair& pair : grammar::prepositions()) {
      add(Kind::preposition, pair.english, {pair.german});
    }
    for (const grammar::Adjective& adjective : grammar::adjectives()) {
      add(Kind::adjective, adjective.english, {"e", "en", "er", "es"}, adjective.german_stem);
    }
    add(Kind::determiner, "the", {"er", "ie", "as", "en", "em"}, "d");
    for (const auto* word : {"this", "these"}) {
      add(Kind::determiner, word, {"er", "e", "es", "en", "em"}, "dies");
    }
    for (const auto* word : {"a", "an"}) {
      add(Kind::determiner, word, {"", "e", "en", "em", "er"}, "ein");
    }
    add(Kind::possessor, "my", {"", "e", "en", "em", "er"}, "mein");
    for (const auto pairs : {grammar::adverbs(), grammar::conjunctions()}) {
      for (const grammar::WordPair& pair : pairs) {
        add(Kind::other, pair.english, {pair.german});
      }
    }
    add(Kind::other, "has", {"hat", "ist"});
    add(Kind::other, "have", {"haben", "sind"});
    add(Kind::other, "will", {"wird", "werden"});
  }

  bool translates(const std::string& english, const std::string& german) const {
    return german_.contains({english, german});
  }
  Kind kind_of(const std::string& word) const {
    const auto found = kinds_.find(word);
    return found == kinds_.end() ? Kind::other : found->second;
  }

 private:
  void add(Kind kind, std::string_view english, std::initializer_list<std::string_view> endings,
           std::string_view stem = "") {
    kinds_.emplace(english, kind);
    for (const std::string_view ending : endings) {
      const std::string german = std::string(stem).append(ending);
      german_.emplace(english, german);
      kinds_.emplace(german, kind);
    }
  }

  std::set<std::pair<std::string, std::string>> german_;  // English and German forms
  std::map<std::string, Kind> kinds_;
};

const Task& grammar_task() {
  static const Task task = [] {
    TaskOptions options("grammar_translation");
    task_option(options, "train_examples") = 5000;
    task_option(options, "validation_examples") = 200;
    task_option(options, "test_examples") = 200;
    return make_task(options, {.seed = 1});
  }();
  return task;
}

std::string source_word(const Example& example, Index row) {
  return grammar_task().source_tokenizer->entry(token_at(example.source, row));
}

// Row 0 of a target is the begin mark.
std::string target_word(const Example& example, Index row) {
  return grammar_task().target_tokenizer->entry(token_at(example.target, row - 1));
}

TEST(GrammarRelations, each_german_word_is_aligned_with_one_that_the_lexicon_translates_by_it) {
  const Dictionary dictionary;
  const TokenId comma = grammar_task().target_tokenizer->encode(",")[0];
  for_each_example(grammar_task(), [&](const Split& split, Index number, const Example& example) {
    std::set<Index> sources;
    std::set<Index> targets;
    for (const auto& [query, key] :
         pairs_of(split.source->relations(number), "translation", RelationSide::across)) {
      // The row that predicts a word comes before the row that reads it.
      EXPECT_TRUE(
          dictionary.translates(source_word(example, key), target_word(example, query + 1)));
      EXPECT_TRUE(sources.insert(key).second);
      EXPECT_TRUE(targets.insert(query).second);
    }
    EXPECT_EQ(sources.size(), example.source.size());
    EXPECT_EQ(targets.size(),
              example.target.size() - (std::ranges::count(example.target, comma) > 0 ? 1 : 0));
  });
}

struct Expected {
  std::string relation;
  Kind query, key;
  int least_in_english;
  int least_in_german;  // 0: none, since a German determiner or adjective always precedes its noun
};

TEST(GrammarRelations, all_words_of_the_right_kinds_are_related_in_both_languages) {
  const std::vector<Expected> all{
      {"determiner to noun", Kind::determiner, Kind::noun, 1000, 0},
      {"possessor to noun", Kind::possessor, Kind::noun, 1000, 0},
      {"adjective to noun", Kind::adjective, Kind::noun, 1000, 0},
      {"subject to verb", Kind::noun, Kind::verb, 500, 200},
      {"object to verb", Kind::noun, Kind::verb, 500, 200},
      {"recipient to verb", Kind::noun, Kind::verb, 500, 200},
      {"object to preposition", Kind::noun, Kind::preposition, 500, 200},
      {"noun to determiner", Kind::noun, Kind::determiner, 500, 200},
      {"verb to object", Kind::verb, Kind::noun, 500, 200}};
  const Dictionary dictionary;
  std::map<std::pair<std::string, RelationSide>, int> seen;
  for_each_example(grammar_task(), [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    for (const Expected& expected : all) {
      for (const RelationSide side : {RelationSide::source, RelationSide::target}) {
        const auto kind_at = [&](Index row) {
          return dictionary.kind_of(side == RelationSide::source ? source_word(example, row)
                                                                 : target_word(example, row));
        };
        for (const auto& [query, key] : pairs_of(relations, expected.relation, side)) {
          ++seen[{expected.relation, side}];
          EXPECT_TRUE(side == RelationSide::source || key < query) << expected.relation;
          EXPECT_EQ(kind_at(query), expected.query) << expected.relation;
          EXPECT_EQ(kind_at(key), expected.key) << expected.relation;
        }
      }
    }
    std::map<Kind, std::size_t> words;
    for (Index row = 0; row < std::ssize(example.source); ++row) {
      ++words[dictionary.kind_of(source_word(example, row))];
    }
    const auto count = [&](std::string_view name) {
      return pairs_of(relations, name, RelationSide::source).size();
    };
    EXPECT_EQ(count("determiner to noun"), words[Kind::determiner]);
    EXPECT_EQ(count("possessor to noun"), words[Kind::possessor]);
    EXPECT_EQ(count("adjective to noun"), words[Kind::adjective]);
    EXPECT_EQ(count("object to preposition"), words[Kind::preposition]);
    EXPECT_EQ(count("subject to verb") + count("object to verb") + count("recipient to verb") +
                  count("object to preposition"),
              words[Kind::noun]);
    EXPECT_EQ(count("subject to verb"), words[Kind::verb]);
  });
  for (const Expected& expected : all) {
    const int german = seen[{expected.relation, RelationSide::target}];
    EXPECT_GT((seen[{expected.relation, RelationSide::source}]), expected.least_in_english);
    EXPECT_TRUE(expected.least_in_german == 0 ? german == 0 : german > expected.least_in_german)
        << expected.relation << german;
  }
}

struct Related {
  RelationSide side;
  const char* name;
  std::vector<std::string> pairs;
};

TEST(GrammarRelations, a_sentence_by_hand) {
  using enum RelationSide;
  using grammar::Determiner;
  const auto find = [](auto list, std::string_view word, auto member) {
    return &*std::ranges::find(list, word, member);
  };
  const Noun* dog = find(grammar::beings(), "dog", &Noun::singular);
  const Noun* girl = find(grammar::beings(), "girl", &Noun::singular);
  const Noun* ball = find(grammar::things(), "ball", &Noun::singular);
  const grammar::Sentence sentence{
      .adverb = &grammar::adverbs()[0],
      .main = {.verb = find(grammar::verbs(), "give", &Verb::base),
               .tense = grammar::Tense::perfect,
               .subject = {Determiner::my, nullptr, girl},
               .recipient = grammar::NounPhrase{Determiner::a, &grammar::adjectives()[0], dog},
               .object = grammar::NounPhrase{Determiner::the, nullptr, ball}},
      .conjunction = &grammar::conjunctions()[0],
      .subordinate = grammar::Clause{.verb = find(grammar::verbs(), "help", &Verb::base),
                                     .tense = grammar::Tense::past,
                                     .subject = {Determiner::the, nullptr, dog},
                                     .recipient = grammar::NounPhrase{{}, nullptr, dog, true}}};
  const std::string english =
      "today my girl has given an old dog the ball because the dog helped dogs";
  const std::string german =
      "heute hat mein Mädchen einem alten Hund den Ball gegeben , weil der Hund Hunden half";
  ASSERT_EQ(to_english(sentence), english);
  ASSERT_EQ(to_german(sentence), german);

  const Relations relations = relations_of(sentence);
  for (const auto& [side, name, pairs] :
       {Related{source, "object to verb", {"ball given", "dogs helped"}},
        {source, "recipient to verb", {"dog given"}},
        {source, "subject to verb", {"girl given", "dog helped"}},
        {source, "possessor to noun", {"my girl"}},
        {source, "determiner to noun", {"an dog", "the ball", "the dog"}},
        {source, "verb to object", {"given ball", "helped dogs"}},
        {target, "verb to object", {"gegeben Ball", "half Hunden"}},
        {target, "object to verb", {}},
        {target, "noun to determiner", {"Hund einem", "Ball den", "Hund der"}},
        {across,
         "translation",
         {"heute today", "hat has", "mein my", "Mädchen girl", "einem an", "alten old", "Hund dog",
          "den the", "Ball ball", "gegeben given", "weil because", "der the", "Hund dog",
          "Hunden dogs", "half helped"}}}) {
    const Words queries = words_of(side == source   ? english
                                   : side == target ? "<s> " + german
                                                    : german);
    const Words keys = words_of(side == target ? "<s> " + german : english);
    std::vector<std::string> found;
    for (const auto& [query, key] : pairs_of(relations, name, side)) {
      found.push_back(queries.at(static_cast<std::size_t>(query)) + " " +
                      keys.at(static_cast<std::size_t>(key)));
    }
    EXPECT_THAT(found, UnorderedElementsAreArray(pairs)) << name;
  }
}

}}  // namespace tapehead
