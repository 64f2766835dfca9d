// What the words of a sentence have to do with each other, in either language and across.
#pragma once

#include "datasets/grammar/sentence.hpp"
#include "datasets/relations.hpp"

namespace tapehead::grammar {

// `across`: "translation", each German word with the English word that it translates; the comma
// translates none. A sentence of n words takes n rows.
//
// `source` and `target`, each in two directions, since heads are found for either: "determiner to
// noun" and "noun to determiner"; "possessor to noun" (my), "adjective to noun"; "object to verb"
// (also the dative one of a verb that takes no other), "recipient to verb" (of verbs that take
// both), "subject to verb"; and "object to preposition", the noun behind it. A verb is the word
// that says what is done, an auxiliary is none. In the target a word's row is the one that reads
// it, and pairs whose key comes after the query are left out.
Relations relations_of(const Sentence& sentence);

}  // namespace tapehead::grammar
