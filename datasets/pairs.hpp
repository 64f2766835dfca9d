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

// The relations of an example whose source of `source_tokens` tokens is followed by the begin mark
// and the target, in one sequence: row t of the target is row `source_tokens` + t. The source has
// no end mark there; the begin mark takes its place. All relations are the target's. Pairs with a
// key after its query are left out, unless both are below `prefix`.
Relations in_one_sequence(Relations relations, Index source_tokens, Index prefix);

// Marks are added and targets shifted. Where the source alone is read, each of its tokens has a
// token of the target as label. `split`: the name of the pairs' split; then DataError, with the
// example, if sides do not have the same length where they must.
std::shared_ptr<const Source> pair_source(std::shared_ptr<const Examples> pairs,
                                          const Layout& layout, FindRelations relations = {},
                                          std::string_view split = {});

// Of pairs whose targets nobody may know.
std::shared_ptr<const Source> pair_source(Examples pairs, const Layout& layout);

}  // namespace tapehead
