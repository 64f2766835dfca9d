// The grammar: German translations written by hand, and properties of all sentences.
#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/testing.hpp"

namespace tapehead::grammar { namespace {

const Noun* noun(std::string_view english) {
  for (const auto nouns : {beings(), things(), places()}) {
    for (const Noun& one : nouns) {
      if (one.singular == english) {
        return &one;
      }
    }
  }
  throw std::invalid_argument(std::string(english));
}

const Adjective* adjective(std::string_view english) {
  const auto found = std::ranges::find(adjectives(), english, &Adjective::english);
  return &*found;
}

const Verb* verb(std::string_view base) {
  const auto found = std::ranges::find(verbs(), base, &Verb::base);
  return &*found;
}

constexpr bool plural = true;

TEST(Grammar, the_finite_verb_stands_second_and_the_participle_last) {
  Sentence sentence;
  sentence.main = {.verb = verb("see"),
                   .tense = Tense::perfect,
                   .subject = {Determiner::the, adjective("old"), noun("teacher")},
                   .recipient = {},
                   .object = NounPhrase{Determiner::a, adjective("red"), noun("apple")},
                   .place = Place{&prepositions()[0], {Determiner::the, nullptr, noun("garden")}}};
  EXPECT_EQ(to_english(sentence), "the old teacher has seen a red apple in the garden");
  EXPECT_EQ(to_german(sentence), "der alte Lehrer hat einen roten Apfel in dem Garten gesehen");
  sentence.adverb = &adverbs()[0];
  EXPECT_EQ(to_english(sentence), "today the old teacher has seen a red apple in the garden");
  EXPECT_EQ(to_german(sentence),
            "heute hat der alte Lehrer einen roten Apfel in dem Garten gesehen");
}

TEST(Grammar, the_recipient_is_in_the_dative) {
  Sentence sentence;
  sentence.main = {.verb = verb("give"),
                   .tense = Tense::present,
                   .subject = {Determiner::my, adjective("small"), noun("girl"), plural},
                   .recipient = NounPhrase{Determiner::the, adjective("young"), noun("woman")},
                   .object = NounPhrase{{}, adjective("beautiful"), noun("picture"), plural},
                   .place = {}};
  EXPECT_EQ(to_english(sentence), "my small girls give the young woman beautiful pictures");
  EXPECT_EQ(to_german(sentence), "meine kleinen Mädchen geben der jungen Frau schöne Bilder");
  sentence.main.recipient = NounPhrase{{}, adjective("old"), noun("dog"), plural};
  EXPECT_EQ(to_german(sentence), "meine kleinen Mädchen geben alten Hunden schöne Bilder");
}

TEST(Grammar, a_subordinate_clause_has_its_verb_at_the_end) {
  Sentence sentence;
  sentence.main = {.verb = verb("run"),
                   .tense = Tense::perfect,
                   .subject = {Determiner::this_, adjective("new"), noun("horse")},
                   .recipient = {},
                   .object = {},
                   .place = {}};
  sentence.conjunction = &conjunctions()[0];
  sentence.subordinate = Clause{.verb = verb("help"),
                                .tense = Tense::future,
                                .subject = {Determiner::a, adjective("old"), noun("child")},
                                .recipient = NounPhrase{Determiner::this_, nullptr, noun("queen")},
                                .object = {},
                                .place = {}};
  EXPECT_EQ(to_english(sentence),
            "this new horse has run because an old child will help this queen");
  EXPECT_EQ(to_german(sentence),
            "dieses neue Pferd ist gelaufen , weil ein altes Kind dieser Königin helfen wird");
}

TEST(Grammar, past_tenses_agree_in_number) {
  Sentence sentence;
  sentence.main = {
      .verb = verb("wait"),
      .tense = Tense::past,
      .subject = {Determiner::the, nullptr, noun("cat")},
      .recipient = {},
      .object = {},
      .place = Place{&prepositions()[1], {Determiner::my, adjective("big"), noun("house")}}};
  EXPECT_EQ(to_german(sentence), "die Katze wartete hinter meinem großen Haus");
  sentence.main.subject.plural = true;
  EXPECT_EQ(to_english(sentence), "the cats waited behind my big house");
  EXPECT_EQ(to_german(sentence), "die Katzen warteten hinter meinem großen Haus");
}

TEST(Grammar, the_english_sentence_decides_the_german_one) {
  const Draws draws(1, "test", 0);
  std::map<std::string, std::string> german;
  for (Index number = 0; number < 20000; ++number) {
    const Sentence sentence = draw_sentence(draws, number);
    const auto [known, fresh] = german.emplace(to_english(sentence), to_german(sentence));
    EXPECT_TRUE(fresh || known->second == to_german(sentence)) << known->first;
  }
  EXPECT_GT(german.size(), 18000U);  // few sentences are drawn twice
}

}}  // namespace tapehead::grammar

namespace tapehead { namespace {

TaskOptions grammar_options() {
  TaskOptions options("grammar_translation");
  task_option(options, "train_examples") = 10000;
  task_option(options, "validation_examples") = 300;
  task_option(options, "test_examples") = 400;
  return options;
}

TEST(GrammarTask, all_words_are_known_and_all_that_are_known_occur) {
  const Task task = make_task(grammar_options(), {.seed = 1});
  std::set<TokenId> seen;
  for (const Split& split : task.splits) {
    for (const Example& example : examples_of(split)) {
      seen.insert(example.source.begin(), example.source.end());
      seen.insert(example.target.begin(), example.target.end());
    }
  }
  EXPECT_FALSE(seen.contains(unknown_id));
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count);
}

TEST(GrammarTask, held_out_sentences_are_never_trained_on) {
  const Task task = make_task(grammar_options(), {.seed = 1});
  std::set<std::vector<TokenId>> trained;
  for (const Example& example : examples_of(task.split("train"))) {
    trained.insert(example.source);
  }
  std::set<std::string> validation(task.split("validation").source_texts.begin(),
                                   task.split("validation").source_texts.end());
  for (const std::string_view name : {"validation", "test"}) {
    for (const Example& example : examples_of(task.split(name))) {
      EXPECT_FALSE(trained.contains(example.source));
    }
  }
  for (const std::string& text : task.split("test").source_texts) {
    EXPECT_FALSE(validation.contains(text));
  }
}

TEST(GrammarTask, sizes_texts_and_seed) {
  const Task task = make_task(grammar_options(), {.seed = 1});
  EXPECT_EQ(task.split("train").size(), 10000);
  EXPECT_EQ(task.split("validation").size(), 300);
  const Split& test = task.split("test");
  ASSERT_EQ(test.size(), 400);
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    EXPECT_EQ(task.source_tokenizer->decode(example_of(test, i).source), test.source_texts[i]);
    EXPECT_EQ(task.target_tokenizer->decode(example_of(test, i).target), test.references[i]);
  }
  EXPECT_EQ(make_task(grammar_options(), {.seed = 1}).fingerprint, task.fingerprint);
  EXPECT_NE(make_task(grammar_options(), {.seed = 2}).fingerprint, task.fingerprint);
}

}}  // namespace tapehead
