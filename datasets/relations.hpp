// Relations: which positions of an example have to do with each other, where a task knows it, to
// compare attention with.
//
// Positions are rows as the model sees them. A source of S tokens has the rows 0 ... S - 1 and its
// end mark in row S. A target of T tokens has the begin mark in row 0 and token t in row t + 1; row
// t is the one that predicts token t, and row T predicts the end mark.
#pragma once

#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// The attention that a relation is about, by where its queries and keys stand.
enum class RelationSide {
  source,  // both in the source: the encoder's attention to itself
  target,  // both in the target: the decoder's attention to itself, where no key follows its query
  across,  // query in the target, key in the source: the decoder's attention to the encoder
};

struct PositionPair {
  Index query = 0;
  Index key = 0;

  bool operator==(const PositionPair&) const = default;
};

struct Relation {
  std::string_view name;
  RelationSide side;
  // In the order of the queries; a query without a pair has no part in the relation, and where one
  // has several keys each of them is as good.
  std::vector<PositionPair> pairs;

  bool operator==(const Relation&) const = default;
};

using Relations = std::vector<Relation>;

// Every row but the first, and the one before it: what a head that looks one back attends to.
inline Relation one_back(RelationSide side, Index rows) {
  Relation relation{.name = "previous", .side = side, .pairs = {}};
  for (Index row = 1; row < rows; ++row) {
    relation.pairs.push_back({row, row - 1});
  }
  return relation;
}

}  // namespace tapehead
