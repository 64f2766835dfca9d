// Homonyms of the grammar: only the verb decides their meaning.
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
    const auto& [noun, verbs, is_place] = all[i];
    const Meaning& other = all[i + 1];
    EXPECT_EQ(noun.singular, other.noun.singular);
    EXPECT_EQ(noun.plural, other.noun.plural);
    EXPECT_NE(noun.german_singular, other.noun.german_singular);
    EXPECT_TRUE(english.insert(noun.singular).second);
    EXPECT_THAT(other.verbs, Each(AllOf(Ne(verbs[0]), Ne(verbs[1]))));
  }
  for (const Meaning& meaning : all) {
    for (const std::string_view verb : meaning.verbs) {
      EXPECT_EQ(verb_of(verb).valency == grammar::Valency::none, meaning.is_place) << verb;
    }
  }
}

TEST(Homonyms, take_their_meaning_from_their_verb_alone) {
  using namespace grammar;
  const auto with = [](std::size_t meaning, std::string_view verb) {
    const NounPhrase where{Determiner::the, nullptr, &meanings()[meaning].noun};
    const Sentence sentence{.main = {.verb = &verb_of(verb),
                                     .tense = Tense::past,
                                     .subject = {Determiner::the, nullptr, &beings()[2]},
                                     .place = Place{&prepositions()[2], where}}};
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
  const auto own = std::ranges::find(all, noun, [](const Meaning& one) { return &one.noun; });
  const Meaning& other = all[static_cast<std::size_t>(own - all.begin()) ^ 1U];  // of the pair
  for (const std::string_view base : other.verbs) {
    if (verb_of(base).valency == sentence.main.verb->valency) {
      sentence.main.verb = &verb_of(base);
      noun = &other.noun;
      return sentence;
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

TEST(Homonyms, are_ambiguous_without_their_verb_and_change_no_other_sentence) {
  const Draws draws(1, "test", 0);
  std::set<std::string_view> meanings_seen;
  for (Index number = 0; number < 3000; ++number) {
    Sentence sentence = grammar::draw_sentence(draws, number, true);
    const std::string german = to_german(sentence);
    const bool has_homonym = std::ranges::any_of(grammar::meanings(), [&](const Meaning& meaning) {
      return german.find(meaning.noun.german_singular) != std::string::npos ||
             german.find(meaning.noun.german_plural) != std::string::npos;
    });
    EXPECT_TRUE(has_homonym ||
                to_english(sentence) == to_english(grammar::draw_sentence(draws, number)));
    const bool has_phrase = sentence.main.object || sentence.main.place;
    if (sentence.subordinate || !has_phrase ||
        !grammar::is_homonym(*homonym_phrase(sentence).noun)) {
      continue;
    }
    if (auto twin = twin_of(sentence)) {
      const std::string_view meaning = homonym_phrase(sentence).noun->german_singular;
      EXPECT_EQ(english_without_verb(*twin), english_without_verb(sentence));
      EXPECT_NE(homonym_phrase(*twin).noun->german_singular, meaning);
      meanings_seen.insert(meaning);
    }
  }
  EXPECT_EQ(meanings_seen.size(), grammar::meanings().size()) << "each has such a twin";
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

TEST(Homonyms, and_all_other_words_of_the_task_occur_and_are_related_to_the_verb_that_decides) {
  const Task task = task_with(true);
  std::set<TokenId> seen;
  Index homonyms = 0;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    seen.insert(example.source.begin(), example.source.end());
    seen.insert(example.target.begin(), example.target.end());
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
      ++homonyms;
      const auto& [query, key] = homonym[i];
      ASSERT_EQ(query, verb[i].query);
      const std::string german = task.target_tokenizer->entry(token_at(example.target, query));
      EXPECT_TRUE(goes_with(word(key), german, base_of(word(verb[i].key)))) << german;
      EXPECT_EQ(std::ranges::count(to_context, PositionPair{key, verb[i].key}), 1);
      EXPECT_EQ(std::ranges::count(from_context, PositionPair{verb[i].key, key}), 1);
    }
  });
  EXPECT_GT(homonyms, 1500);  // a quarter of 8,400 sentences has a homonym
  EXPECT_FALSE(seen.contains(unknown_id));
  EXPECT_EQ(static_cast<Index>(seen.size()), task.source_tokenizer->size() - mark_count);

  const Task without = task_with(false);
  EXPECT_EQ(without.source_tokenizer->encode("bank"), std::vector<TokenId>{unknown_id});
  for (const Relation& relation : without.split("test").source->relations(0)) {
    EXPECT_EQ(relation.name.find("homonym"), std::string_view::npos);
  }
}

}}  // namespace tapehead
