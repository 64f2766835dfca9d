// Homonyms of the grammar: only the verb decides their meaning.
#include "datasets/grammar/lexicon.hpp"
#include "datasets/grammar/sentence.hpp"
#include "datasets/make_task.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using grammar::Meaning;
using grammar::Sentence;

Task task_with(bool homonyms) {
  TaskOptions options("grammar_translation");
  task_option(options, "train_examples") = 8000;
  task_option(options, "validation_examples") = 200;
  task_option(options, "test_examples") = 200;
  task_option<bool>(options, "homonyms") = homonyms;
  return make_task(options, {.seed = 1});
}

const grammar::Verb& verb_of(std::string_view base) {
  return *std::ranges::find(grammar::verbs(), base, &grammar::Verb::base);
}

TEST(Homonyms, have_two_meanings_with_different_verbs) {
  const auto all = grammar::meanings();
  std::set<std::string_view> english;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    EXPECT_EQ(all[i].noun.singular, all[i + 1].noun.singular);
    EXPECT_EQ(all[i].noun.plural, all[i + 1].noun.plural);
    EXPECT_NE(all[i].noun.german_singular, all[i + 1].noun.german_singular);
    EXPECT_TRUE(english.insert(all[i].noun.singular).second);
    for (const std::string_view verb : all[i].verbs) {
      EXPECT_EQ(std::ranges::count(all[i + 1].verbs, verb), 0);
    }
  }
  for (const Meaning& meaning : all) {
    for (const std::string_view verb : meaning.verbs) {
      EXPECT_EQ(verb_of(verb).valency == grammar::Valency::none, meaning.is_place) << verb;
    }
  }
}

TEST(Homonyms, take_their_meaning_from_their_verb_alone) {
  using namespace grammar;
  Sentence sentence;
  sentence.main = {.verb = &verb_of("wait"),
                   .tense = Tense::past,
                   .subject = {Determiner::the, nullptr, &beings()[2]},
                   .recipient = {},
                   .object = {},
                   .place = Place{&prepositions()[2], {Determiner::the, nullptr, nullptr}}};
  const auto with = [&](std::size_t meaning, std::string_view verb) {
    sentence.main.place->where.noun = &meanings()[meaning].noun;
    sentence.main.verb = &verb_of(verb);
    return std::pair(to_english(sentence), to_german(sentence));
  };
  EXPECT_THAT(with(0, "swim"),
              Pair("the king swam beside the bank", "der König schwamm neben dem Ufer"));
  EXPECT_THAT(with(1, "wait"),
              Pair("the king waited beside the bank", "der König wartete neben der Bank"));
}

grammar::NounPhrase& homonym_phrase(Sentence& sentence) {
  return sentence.main.object ? *sentence.main.object : sentence.main.place->where;
}

// The same sentence with a verb of the other meaning and equal valency; nullopt if there is none.
std::optional<Sentence> twin_of(Sentence sentence) {
  const auto all = grammar::meanings();
  const grammar::Noun*& noun = homonym_phrase(sentence).noun;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (noun == &all[i].noun) {
      const Meaning& other = all[i ^ 1U];  // the other meaning of the pair
      for (const std::string_view base : other.verbs) {
        if (verb_of(base).valency == sentence.main.verb->valency) {
          sentence.main.verb = &verb_of(base);
          noun = &other.noun;
          return sentence;
        }
      }
      return {};
    }
  }
  return {};
}

std::string english_without_verb(const Sentence& sentence) {
  std::string text;
  for (const grammar::Word& word : grammar::english_words(sentence)) {
    text += (word.part.role == grammar::Role::verb ? "..." : word.text) + " ";
  }
  return text;
}

TEST(Homonyms, are_ambiguous_without_their_verb) {
  const Draws draws(1, "test", 0);
  std::set<std::string_view> meanings_seen;
  for (Index number = 0; number < 3000; ++number) {
    Sentence sentence = grammar::draw_sentence(draws, number, true);
    const bool has_phrase = sentence.main.object || sentence.main.place;
    if (sentence.subordinate || !has_phrase ||
        !grammar::is_homonym(*homonym_phrase(sentence).noun)) {
      continue;
    }
    if (auto twin = twin_of(sentence)) {
      EXPECT_EQ(english_without_verb(*twin), english_without_verb(sentence));
      EXPECT_NE(homonym_phrase(*twin).noun->german_singular,
                homonym_phrase(sentence).noun->german_singular);
      meanings_seen.insert(homonym_phrase(sentence).noun->german_singular);
    }
  }
  EXPECT_EQ(meanings_seen.size(), grammar::meanings().size()) << "each has such a twin";
}

TEST(Homonyms, stand_in_sentences_whose_english_still_decides_the_german) {
  const Draws draws(1, "test", 0);
  std::map<std::string, std::string> german;
  std::map<std::string_view, int> seen;
  for (Index number = 0; number < 20000; ++number) {
    const Sentence sentence = grammar::draw_sentence(draws, number, true);
    const auto [known, fresh] = german.emplace(to_english(sentence), to_german(sentence));
    EXPECT_TRUE(fresh || known->second == to_german(sentence)) << known->first;
    if (sentence.main.object && grammar::is_homonym(*sentence.main.object->noun)) {
      ++seen[sentence.main.object->noun->german_singular];
    }
  }
  EXPECT_EQ(seen.size(), grammar::meanings().size() - 2) << "all but the bank are objects";
}

TEST(Homonyms, change_nothing_where_there_are_none) {
  const Draws draws(1, "test", 0);
  for (Index number = 0; number < 2000; ++number) {
    const Sentence with = grammar::draw_sentence(draws, number, true);
    const Sentence without = grammar::draw_sentence(draws, number);
    bool has_homonym = false;
    for (const Meaning& meaning : grammar::meanings()) {
      has_homonym = has_homonym ||
                    to_german(with).find(meaning.noun.german_singular) != std::string::npos ||
                    to_german(with).find(meaning.noun.german_plural) != std::string::npos;
    }
    EXPECT_TRUE(has_homonym || to_english(with) == to_english(without));
  }
}

TEST(Homonyms, and_all_other_words_of_the_task_occur) {
  const Task task = task_with(true);
  std::set<TokenId> seen;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    seen.insert(example.source.begin(), example.source.end());
    seen.insert(example.target.begin(), example.target.end());
  });
  EXPECT_FALSE(seen.contains(unknown_id));
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count);
}

// The lexicon word that has this form.
std::string base_of(const std::string& form) {
  for (const grammar::Verb& verb : grammar::verbs()) {
    if (form == verb.base || form == verb.third || form == verb.past || form == verb.participle) {
      return std::string(verb.base);
    }
  }
  return form;
}

bool goes_with(const std::string& english, const std::string& german, const std::string& verb) {
  return std::ranges::any_of(grammar::meanings(), [&](const Meaning& meaning) {
    const grammar::Noun& noun = meaning.noun;
    return (english == noun.singular || english == noun.plural) &&
           (german == noun.german_singular || german == noun.german_plural ||
            german == noun.german_dative_plural) &&
           std::ranges::find(meaning.verbs, verb) != meaning.verbs.end();
  });
}

TEST(Homonyms, are_related_to_the_verb_that_decides) {
  const Task task = task_with(true);
  Index seen = 0;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    const auto homonym = pairs_of(relations, "homonym", RelationSide::across);
    const auto verb = pairs_of(relations, "context", RelationSide::across);
    const auto to_context = pairs_of(relations, "homonym to context", RelationSide::source);
    const auto from_context = pairs_of(relations, "context to homonym", RelationSide::source);
    ASSERT_EQ(homonym.size(), verb.size());
    ASSERT_EQ(homonym.size(), to_context.size());
    ASSERT_EQ(homonym.size(), from_context.size());
    EXPECT_TRUE(std::ranges::is_sorted(from_context, {}, &PositionPair::query));
    const auto word = [&](Index row) {
      return task.source_tokenizer->entry(token_at(example.source, row));
    };
    for (std::size_t i = 0; i < homonym.size(); ++i) {
      ++seen;
      ASSERT_EQ(homonym[i].query, verb[i].query);
      const std::string german =
          task.target_tokenizer->entry(token_at(example.target, homonym[i].query));
      EXPECT_TRUE(goes_with(word(homonym[i].key), german, base_of(word(verb[i].key)))) << german;
      const PositionPair pair{homonym[i].key, verb[i].key};
      EXPECT_EQ(std::ranges::count(to_context, pair), 1);
      EXPECT_EQ(std::ranges::count(from_context, PositionPair{pair.key, pair.query}), 1);
    }
  });
  EXPECT_GT(seen, 1500);  // a quarter of 8,400 sentences has a homonym
}

TEST(Homonyms, are_an_option_that_is_off) {
  const Task task = task_with(false);
  EXPECT_EQ(task.source_tokenizer->encode("bank"), std::vector<TokenId>{unknown_id});
  for (const Relation& relation : task.split("test").source->relations(0)) {
    EXPECT_EQ(relation.name.find("homonym"), std::string_view::npos);
  }
}

}}  // namespace tapehead
