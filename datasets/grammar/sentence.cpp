#include "datasets/grammar/sentence.hpp"

#include "core/text.hpp"
#include "datasets/synthetic/splits.hpp"

namespace tapehead::grammar {

namespace {

constexpr int draw_bits_each = 8;  // 2^8 draws, more than any sentence needs

NounPhrase draw_noun_phrase(RandomSource& random, std::span<const Noun> nouns) {
  NounPhrase phrase;
  phrase.noun = &random.one_of(nouns);
  phrase.plural = random.one_in(3);
  phrase.determiner = static_cast<Determiner>(random.below(4));
  if (phrase.plural && phrase.determiner == Determiner::a) {
    phrase.determiner.reset();
  }
  if (random.one_in(2)) {
    phrase.adjective = &random.one_of(adjectives());
  }
  return phrase;
}

Clause draw_clause(RandomSource& random) {
  Clause clause;
  clause.verb = &random.one_of(verbs());
  clause.tense = static_cast<Tense>(random.below(4));
  clause.subject = draw_noun_phrase(random, beings());
  const Valency valency = clause.verb->valency;
  if (valency == Valency::dative || valency == Valency::both) {
    clause.recipient = draw_noun_phrase(random, beings());
  }
  if (valency == Valency::accusative || valency == Valency::both) {
    const std::array kinds{beings(), things(), places()};
    clause.object = draw_noun_phrase(random, random.one_of(kinds));
  }
  if (random.one_in(3)) {
    clause.place = Place{&random.one_of(prepositions()), draw_noun_phrase(random, places())};
  }
  return clause;
}

// In half of the clauses whose verb fits a meaning, a homonym replaces the object or the place, if
// there is one.
void put_homonym(RandomSource& random, Clause& clause) {
  std::vector<const Meaning*> fitting;
  for (const Meaning& meaning : meanings()) {
    if (std::ranges::find(meaning.verbs, clause.verb->base) != meaning.verbs.end()) {
      fitting.push_back(&meaning);
    }
  }
  if (fitting.empty() || random.one_in(2)) {
    return;
  }
  const Meaning& meaning = *random.one_of(fitting);
  if (!meaning.is_place) {
    clause.object->noun = &meaning.noun;
  } else if (clause.place) {
    clause.place->where.noun = &meaning.noun;
  }
}

// In half of the clauses without an object, someone sits: in half of the places, on a mat.
void put_mat(RandomSource& random, Clause& clause) {
  if (clause.verb->valency != Valency::none || random.one_in(2)) {
    return;
  }
  clause.verb = &mat_words().sit;
  if (clause.place && random.one_in(2)) {
    clause.place->preposition = &mat_words().on;
    clause.place->where.noun = &mat_words().mat;
  }
}

std::string text_of(const std::vector<Word>& words) {
  return join(words | std::views::transform(&Word::text), " ");
}

// The relation between words with this role and their heads, the words that they depend on.
struct Dependency {
  std::string_view to_head;
  std::string_view from_head;
  Role role;
  Phrase phrase = Phrase::none;  // of a noun

  // The recipient of a verb without an object counts as its object.
  bool has(const Part& part, const Clause& clause) const {
    const bool is_object = part.phrase == Phrase::recipient && !clause.object;
    return part.role == role &&
           (role != Role::noun || phrase == (is_object ? Phrase::object : part.phrase));
  }
};

constexpr std::array dependencies{
    Dependency{"determiner to noun", "noun to determiner", Role::determiner},
    Dependency{"possessor to noun", "noun to possessor", Role::possessive},
    Dependency{"adjective to noun", "noun to adjective", Role::adjective},
    Dependency{"subject to verb", "verb to subject", Role::noun, Phrase::subject},
    Dependency{"object to verb", "verb to object", Role::noun, Phrase::object},
    Dependency{"recipient to verb", "verb to recipient", Role::noun, Phrase::recipient},
    Dependency{"object to preposition", "preposition to object", Role::noun, Phrase::place}};

Index place_of(const std::vector<Word>& words, const Part& part) {
  return std::ranges::find(words, part, &Word::part) - words.begin();
}

const Clause& clause_of(const Sentence& sentence, const Part& part) {
  return part.subordinate ? *sentence.subordinate : sentence.main;
}

Part head_of(const Part& part) {
  if (part.role != Role::noun) {
    return {Role::noun, part.phrase, part.subordinate};
  }
  const Role head = part.phrase == Phrase::place ? Role::preposition : Role::verb;
  return {.role = head, .subordinate = part.subordinate};
}

// `first_row`: the row of the first word. In a decoder no key may follow its query.
void add_dependencies(const Sentence& sentence, const std::vector<Word>& words, RelationSide side,
                      Index first_row, Relations& relations) {
  for (const Dependency& dependency : dependencies) {
    Relation to_head{.name = dependency.to_head, .side = side};
    Relation from_head{.name = dependency.from_head, .side = side};
    for (Index place = 0; place < std::ssize(words); ++place) {
      const Part part = words[static_cast<std::size_t>(place)].part;
      if (!dependency.has(part, clause_of(sentence, part))) {
        continue;
      }
      const PositionPair pair{first_row + place, first_row + place_of(words, head_of(part))};
      if (side == RelationSide::source || pair.key < pair.query) {
        to_head.pairs.push_back(pair);
      }
      if (side == RelationSide::source || pair.query < pair.key) {
        from_head.pairs.push_back({pair.key, pair.query});
      }
    }
    relations.push_back(std::move(to_head));
    relations.push_back(std::move(from_head));
  }
}

// The parts of the sentence that are homonyms, in the order of the words. None is a subject or a
// recipient.
std::vector<Part> homonyms_of(const Sentence& sentence, const std::vector<Word>& words) {
  std::vector<Part> homonyms;
  for (const auto& [text, part] : words) {
    const Clause& clause = clause_of(sentence, part);
    if (part.role == Role::noun &&
        ((part.phrase == Phrase::object && is_homonym(*clause.object->noun)) ||
         (part.phrase == Phrase::place && is_homonym(*clause.place->where.noun)))) {
      homonyms.push_back(part);
    }
  }
  return homonyms;
}

void add_homonym_relations(const Sentence& sentence, const std::vector<Word>& english,
                           const std::vector<Word>& german, Relations& relations) {
  Relation homonym{"homonym", RelationSide::across};
  Relation context{"context", RelationSide::across};
  Relation to_context{"homonym to context", RelationSide::source};
  Relation from_context{"context to homonym", RelationSide::source};
  const auto verb_of = [](const Part& part) {
    return Part{.role = Role::verb, .subordinate = part.subordinate};
  };
  for (const Part& part : homonyms_of(sentence, german)) {
    const Index row = place_of(german, part);
    homonym.pairs.push_back({row, place_of(english, part)});
    context.pairs.push_back({row, place_of(english, verb_of(part))});
  }
  for (const Part& part : homonyms_of(sentence, english)) {
    const PositionPair pair{place_of(english, part), place_of(english, verb_of(part))};
    to_context.pairs.push_back(pair);
    from_context.pairs.push_back({pair.key, pair.query});
  }
  relations.insert(relations.end(), {homonym, context, to_context, from_context});
}

}  // namespace

Sentence draw_sentence(const Draws& draws, Index number, bool homonyms, bool mat) {
  RandomSource random(draws, number, draw_bits_each);
  Sentence sentence;
  if (random.one_in(3)) {
    sentence.adverb = &random.one_of(adverbs());
  }
  sentence.main = draw_clause(random);
  if (random.one_in(4)) {
    sentence.conjunction = &random.one_of(conjunctions());
    sentence.subordinate = draw_clause(random);
  }
  // The mat first: with `sit`, nothing would decide between the meanings of a homonym.
  for (const auto& [wanted, put] : {std::pair(mat, &put_mat), std::pair(homonyms, &put_homonym)}) {
    if (wanted) {
      put(random, sentence.main);
      if (sentence.subordinate) {
        put(random, *sentence.subordinate);
      }
    }
  }
  return sentence;
}

std::string to_english(const Sentence& sentence) { return text_of(english_words(sentence)); }

std::string to_german(const Sentence& sentence) { return text_of(german_words(sentence)); }

Relations relations_of(const Sentence& sentence, bool homonyms) {
  const std::vector<Word> english = english_words(sentence);
  const std::vector<Word> german = german_words(sentence);
  Relation translation{.name = "translation", .side = RelationSide::across};
  for (Index row = 0; row < std::ssize(german); ++row) {
    const Index place = place_of(english, german[static_cast<std::size_t>(row)].part);
    if (place < std::ssize(english)) {
      translation.pairs.push_back({row, place});
    }
  }
  Relations relations{std::move(translation)};
  add_dependencies(sentence, english, RelationSide::source, 0, relations);
  add_dependencies(sentence, german, RelationSide::target, 1, relations);
  if (homonyms) {
    add_homonym_relations(sentence, english, german, relations);
  }
  return relations;
}

}  // namespace tapehead::grammar
