// The relations between the words of a sentence, within each language and across the two.
#pragma once

#include "datasets/grammar/sentence.hpp"
#include "datasets/relations.hpp"

namespace tapehead::grammar {

// `across`: "translation" pairs each German word with the English word that it translates. The
// comma translates no word. A sentence of n words has n rows.
//
// `source` and `target`: each relation in both directions, since heads may follow either, such as
// "determiner to noun" and "noun to determiner". The others are "possessor to noun" (my),
// "adjective to noun", "object to verb" (also the dative object of a verb that takes no other),
// "recipient to verb" (for verbs that take both), "subject to verb", and "object to preposition",
// where the object is the noun after the preposition. The verb is the word for the action, not an
// auxiliary. In the target the row of a word is the one that reads it, and pairs whose key comes
// after the query are left out.
Relations relations_of(const Sentence& sentence);

// Adds those of homonyms, whose context is the verb of their clause. `across`: "homonym" and
// "context" pair the row that predicts the German noun with the English homonym and with its
// context. `source`: "homonym to context" and "context to homonym".
void add_homonym_relations(const Sentence& sentence, Relations& relations);

}  // namespace tapehead::grammar
