// The relations between words of the grammar's sentences, checked by its lexicon and by hand.
#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using grammar::Noun;
using grammar::Verb;
using WordSet = std::set<std::string, std::less<>>;

// All German forms of each English word in the lexicon, regardless of agreement.
class Dictionary {
 public:
  Dictionary() {
    for (const auto nouns : {grammar::beings(), grammar::things(), grammar::places()}) {
      for (const Noun& noun : nouns) {
        add(noun.singular, {noun.german_singular});
        add(noun.plural, {noun.german_plural, noun.german_dative_plural});
      }
    }
    for (const Verb& verb : grammar::verbs()) {
      add(verb.base, {verb.german_infinitive});
      add(verb.third, {verb.german_third});
      add(verb.past, {verb.german_past, verb.german_past_plural});
      add(verb.participle, {verb.german_participle});
    }
    for (const grammar::Adjective& adjective : grammar::adjectives()) {
      add_forms(adjective.english, adjective.german_stem, {"e", "en", "er", "es"});
    }
    for (const auto pairs :
         {grammar::adverbs(), grammar::prepositions(), grammar::conjunctions()}) {
      for (const grammar::WordPair& pair : pairs) {
        add(pair.english, {pair.german});
      }
    }
    add_forms("the", "d", {"er", "ie", "as", "en", "em"});
    for (const auto* word : {"this", "these"}) {
      add_forms(word, "dies", {"er", "e", "es", "en", "em"});
    }
    for (const auto* word : {"a", "an"}) {
      add_forms(word, "ein", {"", "e", "en", "em", "er"});
    }
    add_forms("my", "mein", {"", "e", "en", "em", "er"});
    add("has", {"hat", "ist"});
    add("have", {"haben", "sind"});
    add("will", {"wird", "werden"});
  }

  bool translates(std::string_view english, std::string_view german) const {
    const auto found = german_.find(english);
    return found != german_.end() && found->second.contains(german);
  }

 private:
  void add(std::string_view english, std::initializer_list<std::string_view> german) {
    german_[std::string(english)].insert(german.begin(), german.end());
  }
  void add_forms(std::string_view english, std::string_view stem,
                 std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
      german_[std::string(english)].insert(std::string(stem).append(ending));
    }
  }

  std::map<std::string, WordSet, std::less<>> german_;
};

Task grammar_task() {
  TaskOptions options("grammar_translation");
  task_option(options, "train_examples") = 5000;
  task_option(options, "validation_examples") = 200;
  task_option(options, "test_examples") = 200;
  return make_task(options, {.seed = 1});
}

std::string source_word(const Task& task, const Example& example, Index row) {
  return task.source_tokenizer->entry(token_at(example.source, row));
}

// Row 0 of a target is the begin mark.
std::string target_word(const Task& task, const Example& example, Index row) {
  return task.target_tokenizer->entry(token_at(example.target, row - 1));
}

TEST(GrammarRelations, each_german_word_is_aligned_with_one_that_the_lexicon_translates_by_it) {
  const Task task = grammar_task();
  const Dictionary dictionary;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const auto pairs =
        pairs_of(split.source->relations(number), "translation", RelationSide::across);
    std::set<Index> sources;
    std::set<Index> targets;
    for (const auto& [query, key] : pairs) {
      // The row that predicts a word comes before the row that reads it.
      EXPECT_TRUE(dictionary.translates(source_word(task, example, key),
                                        target_word(task, example, query + 1)));
      EXPECT_TRUE(sources.insert(key).second);
      EXPECT_TRUE(targets.insert(query).second);
    }
    const bool comma =
        std::ranges::count(example.target, task.target_tokenizer->encode(",")[0]) > 0;
    EXPECT_EQ(sources.size(), example.source.size());
    EXPECT_EQ(targets.size(), example.target.size() - (comma ? 1 : 0));
  });
}

enum class Kind { determiner, possessor, adjective, noun, verb, preposition, other };

// The word class of a form, in either language.
class Kinds {
 public:
  Kinds() {
    for (const auto nouns : {grammar::beings(), grammar::things(), grammar::places()}) {
      for (const Noun& noun : nouns) {
        add(Kind::noun, {noun.singular, noun.plural, noun.german_singular, noun.german_plural,
                         noun.german_dative_plural});
      }
    }
    for (const Verb& verb : grammar::verbs()) {
      add(Kind::verb,
          {verb.base, verb.third, verb.past, verb.participle, verb.german_infinitive,
           verb.german_third, verb.german_past, verb.german_past_plural, verb.german_participle});
    }
    for (const grammar::WordPair& pair : grammar::prepositions()) {
      add(Kind::preposition, {pair.english, pair.german});
    }
    for (const grammar::Adjective& adjective : grammar::adjectives()) {
      add(Kind::adjective, {adjective.english});
      add_forms(Kind::adjective, adjective.german_stem, {"e", "en", "er", "es"});
    }
    add(Kind::determiner, {"the", "this", "these", "a", "an"});
    add_forms(Kind::determiner, "d", {"er", "ie", "as", "en", "em"});
    add_forms(Kind::determiner, "dies", {"er", "e", "es", "en", "em"});
    add_forms(Kind::determiner, "ein", {"", "e", "en", "em", "er"});
    add(Kind::possessor, {"my"});
    add_forms(Kind::possessor, "mein", {"", "e", "en", "em", "er"});
  }

  Kind of(std::string_view word) const {
    const auto found = kinds_.find(word);
    return found == kinds_.end() ? Kind::other : found->second;
  }

 private:
  void add(Kind kind, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      kinds_.emplace(word, kind);
    }
  }
  void add_forms(Kind kind, std::string_view stem,
                 std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
      kinds_.emplace(std::string(stem).append(ending), kind);
    }
  }

  std::map<std::string, Kind, std::less<>> kinds_;
};

struct Expected {
  std::string_view relation;
  Kind query;
  Kind key;
};

TEST(GrammarRelations, words_of_the_right_kinds_are_related_in_both_languages) {
  const Task task = grammar_task();
  const Kinds kinds;
  std::map<std::pair<std::string, RelationSide>, int> seen;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    for (const auto& [name, query, key] :
         {Expected{"determiner to noun", Kind::determiner, Kind::noun},
          Expected{"possessor to noun", Kind::possessor, Kind::noun},
          Expected{"adjective to noun", Kind::adjective, Kind::noun},
          Expected{"subject to verb", Kind::noun, Kind::verb},
          Expected{"object to verb", Kind::noun, Kind::verb},
          Expected{"recipient to verb", Kind::noun, Kind::verb},
          Expected{"object to preposition", Kind::noun, Kind::preposition},
          Expected{"noun to determiner", Kind::noun, Kind::determiner},
          Expected{"verb to object", Kind::verb, Kind::noun}}) {
      for (const auto& pair : pairs_of(relations, name, RelationSide::source)) {
        ++seen[{std::string(name), RelationSide::source}];
        EXPECT_EQ(kinds.of(source_word(task, example, pair.query)), query) << name;
        EXPECT_EQ(kinds.of(source_word(task, example, pair.key)), key) << name;
      }
      for (const auto& pair : pairs_of(relations, name, RelationSide::target)) {
        ++seen[{std::string(name), RelationSide::target}];
        EXPECT_LT(pair.key, pair.query) << name;
        EXPECT_EQ(kinds.of(target_word(task, example, pair.query)), query) << name;
        EXPECT_EQ(kinds.of(target_word(task, example, pair.key)), key) << name;
      }
    }
  });
  // A German determiner or adjective always precedes its noun.
  for (const std::string name : {"determiner to noun", "possessor to noun", "adjective to noun"}) {
    EXPECT_GT((seen[{name, RelationSide::source}]), 1000) << name;
    EXPECT_EQ((seen[{name, RelationSide::target}]), 0) << name;
  }
  for (const std::string name : {"subject to verb", "object to verb", "recipient to verb",
                                 "object to preposition", "noun to determiner", "verb to object"}) {
    EXPECT_GT((seen[{name, RelationSide::source}]), 500) << name;
    EXPECT_GT((seen[{name, RelationSide::target}]), 200) << name;
  }
}

// Each determiner has a noun and each noun of an object has a verb, so no relation is missing.
TEST(GrammarRelations, every_word_that_depends_on_another_is_related) {
  const Task task = grammar_task();
  const Kinds kinds;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    std::map<Kind, std::size_t> words;
    for (Index row = 0; row < static_cast<Index>(example.source.size()); ++row) {
      ++words[kinds.of(source_word(task, example, row))];
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
}

std::vector<std::string> named(const Relations& relations, std::string_view name, RelationSide side,
                               const std::string& queries, const std::string& keys) {
  const auto word = [](const std::string& text, Index row) {
    std::istringstream words(text);
    std::string result;
    for (Index i = 0; i <= row; ++i) {
      words >> result;
    }
    return result;
  };
  std::vector<std::string> pairs;
  for (const auto& [query, key] : pairs_of(relations, name, side)) {
    pairs.push_back(word(queries, query) + " " + word(keys, key));
  }
  return pairs;
}

TEST(GrammarRelations, a_sentence_by_hand) {
  grammar::Sentence sentence;
  const auto find = [](auto list, std::string_view word, auto member) {
    return &*std::ranges::find(list, word, member);
  };
  const Noun* dog = find(grammar::beings(), "dog", &Noun::singular);
  sentence.adverb = &grammar::adverbs()[0];
  sentence.main = {
      .verb = find(grammar::verbs(), "give", &Verb::base),
      .tense = grammar::Tense::perfect,
      .subject = {grammar::Determiner::my, nullptr,
                  find(grammar::beings(), "girl", &Noun::singular)},
      .recipient = grammar::NounPhrase{grammar::Determiner::a, &grammar::adjectives()[0], dog},
      .object = grammar::NounPhrase{grammar::Determiner::the, nullptr,
                                    find(grammar::things(), "ball", &Noun::singular)},
      .place = {}};
  sentence.conjunction = &grammar::conjunctions()[0];
  sentence.subordinate = grammar::Clause{.verb = find(grammar::verbs(), "help", &Verb::base),
                                         .tense = grammar::Tense::past,
                                         .subject = {grammar::Determiner::the, nullptr, dog},
                                         .recipient = grammar::NounPhrase{{}, nullptr, dog, true},
                                         .object = {},
                                         .place = {}};
  const std::string english =
      "today my girl has given an old dog the ball because the dog helped dogs";
  const std::string german =
      "heute hat mein Mädchen einem alten Hund den Ball gegeben , weil der Hund Hunden half";
  ASSERT_EQ(to_english(sentence), english);
  ASSERT_EQ(to_german(sentence), german);

  const Relations relations = relations_of(sentence);
  const auto in_english = [&](std::string_view name) {
    return named(relations, name, RelationSide::source, english, english);
  };
  EXPECT_THAT(in_english("object to verb"), UnorderedElementsAre("ball given", "dogs helped"));
  EXPECT_THAT(in_english("recipient to verb"), UnorderedElementsAre("dog given"));
  EXPECT_THAT(in_english("subject to verb"), UnorderedElementsAre("girl given", "dog helped"));
  EXPECT_THAT(in_english("possessor to noun"), UnorderedElementsAre("my girl"));
  EXPECT_THAT(in_english("determiner to noun"),
              UnorderedElementsAre("an dog", "the ball", "the dog"));
  EXPECT_THAT(in_english("verb to object"), UnorderedElementsAre("given ball", "helped dogs"));

  const std::string rows = "<s> " + german;
  const auto in_german = [&](std::string_view name) {
    return named(relations, name, RelationSide::target, rows, rows);
  };
  EXPECT_THAT(in_german("verb to object"), UnorderedElementsAre("gegeben Ball", "half Hunden"));
  EXPECT_THAT(in_german("object to verb"), UnorderedElementsAre());
  EXPECT_THAT(in_german("noun to determiner"),
              UnorderedElementsAre("Hund einem", "Ball den", "Hund der"));
  EXPECT_THAT(
      named(relations, "translation", RelationSide::across, german, english),
      UnorderedElementsAre("heute today", "hat has", "mein my", "Mädchen girl", "einem an",
                           "alten old", "Hund dog", "den the", "Ball ball", "gegeben given",
                           "weil because", "der the", "Hund dog", "Hunden dogs", "half helped"));
}

}}  // namespace tapehead
