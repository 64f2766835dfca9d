// How far heads agree with what a task knows of its examples (`Relation`): the share of queries
// whose largest weight lies on a related key (Clark et al. 2019, section 4.2), beside that of the
// best fixed offset, their baseline, and that of a key drawn at random.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/scalar.hpp"
#include "lab/heads/attended_sequence.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// One relation and the heads of one attention. Memory grows with the longest sentence at most.
struct RelationSums {
  std::string name;
  double queries = 0;                 // that have a related key
  double random = 0;                  // Σ_queries related keys / keys that may be attended to
  std::map<Index, double> at_offset;  // queries with a related key at key - query
  std::vector<double> agreeing;       // by head: queries whose largest weight is on a related key
};

// Adds one sentence: the relations that are about this attention, and each head's weights (queries,
// keys), row after row.
void add_relations(std::vector<RelationSums>& sums, const AttendedSequence& sequence,
                   const std::vector<std::vector<Scalar>>& weights);
void add_relations(std::vector<RelationSums>& to, const std::vector<RelationSums>& from);

struct RelationFigures {
  std::string name;
  double queries = 0;
  double random = 0;              // expected share of the queries, for a key drawn evenly
  Index offset = 0;               // that is a related key for most queries; of several the least
  double offset_share = 0;        // of the queries
  std::vector<double> agreement;  // by head, shares of the queries

  double over_offset(std::size_t head) const { return agreement[head] - offset_share; }
};
RelationFigures figures_of(const RelationSums& sums);

// The relation for which a head exceeds the best fixed offset by most, of those that it agrees with
// more than chance would; none where there is no such relation.
std::optional<std::size_t> closest_relation(const std::vector<RelationFigures>& relations,
                                            std::size_t head);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
