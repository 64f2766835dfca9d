// How far heads agree with what a task knows about its examples (`Relation`): the share of queries
// whose largest weight is on a related key, compared with that of the best fixed offset (Clark et
// al. 2019, section 4.2) and of a randomly drawn key.
#pragma once

#include "core/scalar.hpp"
#include "lab/heads/attended_sequence.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// One relation and the heads of one attention. Memory grows at most with the longest sentence.
struct RelationSums {
  std::string name;
  double queries = 0;  // that have a related key
  // By head: Σ_queries the share of related keys among those that the query may attend to.
  std::vector<double> random{};
  std::map<Index, double> at_offset{};  // queries with a related key at key - query
  std::vector<double> agreeing{};       // by head: queries whose largest weight is on a related key
};

// Adds the relations about an attention of one sentence. `weights`: (queries, keys) of each head.
void add_relations(std::vector<RelationSums>& sums, const AttendedSequence& sequence,
                   const std::vector<std::vector<Scalar>>& weights);
void add_relations(std::vector<RelationSums>& to, const std::vector<RelationSums>& from);

struct RelationFigures {
  std::string name;
  double queries = 0;
  std::vector<double> random{};  // by head: expected agreement of a uniformly drawn key
  Index offset = 0;              // the one most often at a related key; if equal, the smallest
  double offset_share = 0;       // of the queries
  // By head, shares of the queries; absent for a head to which its pattern shows no related key.
  std::vector<std::optional<double>> agreement{};

  double over_offset(std::size_t head) const { return agreement[head].value_or(0) - offset_share; }
};
RelationFigures figures_of(const RelationSums& sums);

// The relation in which a head exceeds the best fixed offset by most, among those in which it
// agrees more often than by chance; nothing if there is no such relation.
std::optional<std::size_t> closest_relation(const std::vector<RelationFigures>& relations,
                                            std::size_t head);

}}  // namespace tapehead::TAPEHEAD_PRECISION
