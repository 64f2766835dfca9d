// The grammar: German translations written by hand, and properties of all sentences.
#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead::grammar { namespace {

const Noun* noun(std::string_view english) {
  for (const auto nouns : {beings(), things(), places()}) {
    if (const auto found = std::ranges::find(nouns, english, &Noun::singular);
        found != nouns.end()) {
      return &*found;
    }
  }
  throw std::invalid_argument(std::string(english));
}

const Adjective* adjective(std::string_view english) {
  return &*std::ranges::find(adjectives(), english, &Adjective::english);
}

const Verb* verb(std::string_view base) { return &*std::ranges::find(verbs(), base, &Verb::base); }

constexpr bool plural = true;

struct Translation {
  Sentence sentence;
  std::string_view english, german;
};

TEST(Grammar, translates_sentences_as_by_hand) {
  const WordPair* today = &adverbs()[0];
  const WordPair* because = &conjunctions()[0];
  // The finite verb stands second, and the participle last.
  const Clause see{.verb = verb("see"),
                   .tense = Tense::perfect,
                   .subject = {Determiner::the, adjective("old"), noun("teacher")},
                   .object = NounPhrase{Determiner::a, adjective("red"), noun("apple")},
                   .place = Place{&prepositions()[0], {Determiner::the, nullptr, noun("garden")}}};
  // The recipient is in the dative.
  const Clause give{.verb = verb("give"),
                    .subject = {Determiner::my, adjective("small"), noun("girl"), plural},
                    .recipient = NounPhrase{Determiner::the, adjective("young"), noun("woman")},
                    .object = NounPhrase{{}, adjective("beautiful"), noun("picture"), plural}};
  Clause give_dogs = give;
  give_dogs.recipient = NounPhrase{{}, adjective("old"), noun("dog"), plural};
  // A subordinate clause has its verb at the end.
  const Clause run{.verb = verb("run"),
                   .tense = Tense::perfect,
                   .subject = {Determiner::this_, adjective("new"), noun("horse")}};
  const Clause help{.verb = verb("help"),
                    .tense = Tense::future,
                    .subject = {Determiner::a, adjective("old"), noun("child")},
                    .recipient = NounPhrase{Determiner::this_, nullptr, noun("queen")}};
  // Past tenses agree in number.
  const Clause cat_waits{
      .verb = verb("wait"),
      .tense = Tense::past,
      .subject = {Determiner::the, nullptr, noun("cat")},
      .place = Place{&prepositions()[1], {Determiner::my, adjective("big"), noun("house")}}};
  Clause cats_wait = cat_waits;
  cats_wait.subject.plural = true;
  const Clause cat_sits{
      .verb = &mat_words().sit,
      .tense = Tense::past,
      .subject = {Determiner::the, nullptr, noun("cat")},
      .place = Place{&mat_words().on, {Determiner::the, nullptr, &mat_words().mat}}};
  const std::vector<Translation> translations{
      {{.main = see},
       "the old teacher has seen a red apple in the garden",
       "der alte Lehrer hat einen roten Apfel in dem Garten gesehen"},
      {{.adverb = today, .main = see},
       "today the old teacher has seen a red apple in the garden",
       "heute hat der alte Lehrer einen roten Apfel in dem Garten gesehen"},
      {{.main = give},
       "my small girls give the young woman beautiful pictures",
       "meine kleinen Mädchen geben der jungen Frau schöne Bilder"},
      {{.main = give_dogs},
       "my small girls give old dogs beautiful pictures",
       "meine kleinen Mädchen geben alten Hunden schöne Bilder"},
      {{.main = run, .conjunction = because, .subordinate = help},
       "this new horse has run because an old child will help this queen",
       "dieses neue Pferd ist gelaufen , weil ein altes Kind dieser Königin helfen wird"},
      {{.main = cat_waits},
       "the cat waited behind my big house",
       "die Katze wartete hinter meinem großen Haus"},
      {{.main = cats_wait},
       "the cats waited behind my big house",
       "die Katzen warteten hinter meinem großen Haus"},
      {{.main = cat_sits}, "the cat sat on the mat", "die Katze saß auf der Matte"}};
  for (const auto& [sentence, english, german] : translations) {
    EXPECT_EQ(to_english(sentence), english);
    EXPECT_EQ(to_german(sentence), german);
  }
}

TEST(Grammar, the_english_sentence_decides_the_german_one) {
  const Draws draws(1, "test", 0);
  for (const auto& [homonyms, mat] :
       {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    std::map<std::string, std::string> german;
    std::set<std::string_view> meanings_seen;  // of homonyms that are objects
    for (Index number = 0; number < 20000; ++number) {
      const Sentence sentence = draw_sentence(draws, number, homonyms, mat);
      const auto [known, fresh] = german.emplace(to_english(sentence), to_german(sentence));
      EXPECT_TRUE(fresh || known->second == to_german(sentence)) << known->first;
      if (sentence.main.object && is_homonym(*sentence.main.object->noun)) {
        meanings_seen.insert(sentence.main.object->noun->german_singular);
      }
    }
    if (homonyms) {
      EXPECT_EQ(meanings_seen.size(), meanings().size() - 2) << "all but the bank are objects";
    } else {
      EXPECT_GT(german.size(), 18000U) << "few sentences are drawn twice";
    }
  }
}

}}  // namespace tapehead::grammar

namespace tapehead { namespace {

TEST(GrammarTask, has_known_words_that_all_occur_and_never_trains_on_held_out_sentences) {
  TaskOptions options("grammar_translation");
  task_option(options, "train_examples") = 10000;
  task_option(options, "validation_examples") = 300;
  task_option(options, "test_examples") = 400;
  const Task task = make_task(options, {.seed = 1});
  EXPECT_EQ(task.split("train").size(), 10000);
  EXPECT_EQ(task.split("validation").size(), 300);
  EXPECT_EQ(task.split("test").size(), 400);
  std::set<TokenId> seen;
  std::map<std::vector<TokenId>, std::string> split_of;  // by source
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    seen.insert(example.source.begin(), example.source.end());
    seen.insert(example.target.begin(), example.target.end());
    EXPECT_EQ(split_of.emplace(example.source, split.name).first->second, split.name);
    if (split.name == "test") {
      const auto i = static_cast<std::size_t>(number);
      EXPECT_EQ(task.source_tokenizer->decode(example.source), split.source_texts.at(i));
      EXPECT_EQ(task.target_tokenizer->decode(example.target), split.references.at(i));
    }
  });
  EXPECT_FALSE(seen.contains(unknown_id));
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count);
  EXPECT_EQ(make_task(options, {.seed = 1}).fingerprint, task.fingerprint);
  EXPECT_NE(make_task(options, {.seed = 2}).fingerprint, task.fingerprint);
}

TEST(GrammarTask, with_a_mat_has_its_words_too_and_changes_only_the_sentences_with_them) {
  TaskOptions options("grammar_translation");
  task_option(options, "train_examples") = 8000;
  task_option(options, "validation_examples") = 200;
  task_option(options, "test_examples") = 200;
  task_option<bool>(options, "mat") = true;
  const Task task = make_task(options, {.seed = 1});
  std::set<TokenId> seen;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    seen.insert(example.source.begin(), example.source.end());
    seen.insert(example.target.begin(), example.target.end());
  });
  EXPECT_FALSE(seen.contains(unknown_id));
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count);
  for (const TokenId token : task.source_tokenizer->encode("the cat sat on the mat")) {
    EXPECT_NE(token, unknown_id);
  }
  const Draws draws(1, "test", 0);
  for (Index number = 0; number < 2000; ++number) {
    const grammar::Sentence sentence = grammar::draw_sentence(draws, number, false, true);
    const std::string german = to_german(sentence);
    const bool sits = german.find("sitz") != std::string::npos ||
                      german.find("saß") != std::string::npos ||
                      german.find("gesessen") != std::string::npos;
    EXPECT_TRUE(sits || to_english(sentence) == to_english(grammar::draw_sentence(draws, number)));
  }
}

}}  // namespace tapehead
