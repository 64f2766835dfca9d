// Relations: pairs of positions of an example that belong together, if a task knows them. Attention
// is compared with them.
//
// Positions are rows as the model sees them. A source of S tokens has rows 0 ... S - 1, and its end
// mark in row S. A target of T tokens has the begin mark in row 0 and token t in row t + 1; row t
// predicts token t, and row T predicts the end mark.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The attention that a relation is compared with, by the side of its queries and of its keys.
enum class RelationSide {
  source,  // both in the source: the encoder's self-attention
  target,  // both in the target: the decoder's self-attention, where no key follows its query
  across,  // query in the target, key in the source: cross-attention
};

struct PositionPair {
  Index query = 0;
  Index key = 0;

  bool operator==(const PositionPair&) const = default;
};

struct Relation {
  std::string_view name;
  RelationSide side;
  // In the order of the queries. A query without a pair does not take part in the relation. If a
  // query has several keys, each of them counts as correct.
  std::vector<PositionPair> pairs{};

  bool operator==(const Relation&) const = default;
};

using Relations = std::vector<Relation>;

// Pairs every row except the first with the row before it.
inline Relation one_back(RelationSide side, Index rows) {
  Relation relation{.name = "previous", .side = side};
  for (Index row = 1; row < rows; ++row) {
    relation.pairs.push_back({row, row - 1});
  }
  return relation;
}

}  // namespace tapehead
