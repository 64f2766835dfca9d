// Pairs: a source and its target, as a model of each layout reads them.
#pragma once

#include "datasets/layout.hpp"
#include "datasets/sequence.hpp"

namespace tapehead {

struct Example {
  std::vector<TokenId> source;  // without marks
  std::vector<TokenId> target;  // without marks
};

using Examples = std::vector<Example>;

// The relations of a pair, in the rows that sequence.hpp describes.
using FindRelations = std::function<Relations(Index number)>;

// Moves relations into one sequence: the source of `source_tokens` tokens, the begin mark in place
// of the end mark of the source, and the target. Row t of the target becomes row `source_tokens` +
// t. All relations become relations of the target. Pairs with a key after the query are left out,
// unless both are below `prefix`.
Relations in_one_sequence(Relations relations, Index source_tokens, Index prefix);

// Adds marks and shifts targets. With InputRows::source, token i of the target is the label of
// token i of the source. Then, if `split` is given, throws DataError with split and example for a
// pair whose sides have different lengths.
std::shared_ptr<const Source> pair_source(std::shared_ptr<const Examples> pairs,
                                          const Layout& layout, FindRelations relations = {},
                                          std::string_view split = {});

// For pairs without relations, whose targets may be unknown.
std::shared_ptr<const Source> pair_source(Examples pairs, const Layout& layout);

}  // namespace tapehead
