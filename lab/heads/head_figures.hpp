// Sums over sentences of what the heads of an attention do, alone and compared with each other.
// Memory does not grow with the number of sentences. The figures of each head follow from these
// sums: means, its role, and its agreement with the task's relations.
#pragma once

#include "core/tape/tensor.hpp"
#include "lab/heads/head_figure_rows.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The weights (queries, keys) of each head in one sentence, row after row.
using WeightsByHead = std::vector<std::vector<Scalar>>;

// The agreement of an attention's heads with what a task knows about its examples (`Relation`): the
// share of queries whose largest weight is on a related key. It is compared with the best fixed
// offset (Clark et al. 2019, section 4.2) and with a randomly drawn key. Memory grows with the
// longest sentence at most.
struct RelationSums {
  std::string name;
  double queries = 0;  // with at least one related key
  // By head: Σ_queries the share of related keys among the keys that the query may attend to.
  std::vector<double> random{};
  std::map<Index, double> at_offset{};  // queries with a related key at key - query
  std::vector<double> agreeing{};       // by head: queries whose largest weight is on a related key
};

void add_relations(std::vector<RelationSums>& sums, const AttendedSequence& sequence,
                   const WeightsByHead& weights);
void add_relations(std::vector<RelationSums>& to, const std::vector<RelationSums>& from);

struct RelationFigures {
  std::string name;
  double queries = 0;
  std::vector<double> random{};  // by head: expected agreement of a uniformly drawn key
  Index offset = 0;              // the offset most often at a related key; if equal, the smallest
  double offset_share = 0;       // of the queries
  // By head, shares of the queries; absent if the head's pattern shows no related key.
  std::vector<std::optional<double>> agreement{};

  double over_offset(std::size_t head) const { return agreement[head].value_or(0) - offset_share; }
};
RelationFigures figures_of(const RelationSums& sums);

// The relation in which a head exceeds the best fixed offset most, among the relations in which the
// head agrees more often than by chance; nothing if there is no such relation.
std::optional<std::size_t> closest_relation(const std::vector<RelationFigures>& relations,
                                            std::size_t head);

// Sums of a QueryFigure over the queries that have it; `even` sums its values for an even spread.
struct MeanSum {
  double queries = 0;
  double value = 0;
  double even = 0;

  MeanSum& operator+=(const MeanSum& other);
};

// p ln p, in nats; its limit 0 at p = 0.
inline double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0; }

double dot_product(const Scalar* a, const Scalar* b, Index count);  // summed in double precision

// The distance between the weights of two heads: Σ_queries of the Jensen-Shannon divergence in
// nats, at most log 2 per query (Lin 1991; between heads as in Clark et al. 2019, section 6).
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q);

// The rows of x, each scaled to length 1. Rows of zeros stay zero.
Tensor unit_rows(const Tensor& x);

// The distance between outputs, given as unit rows: Σ_queries 1 - cos. A row of zeros counts as 1.
double output_distance_between(const Tensor& a, const Tensor& b);

constexpr Index reach = 8;  // farther offsets count as the outermost ones
constexpr Index offsets = 2 * reach + 1;
using OffsetSums = std::array<double, static_cast<std::size_t>(offsets)>;

struct HeadSums {
  double queries = 0;          // that may attend to at least one key
  std::vector<MeanSum> means;  // by row; 0 for rows without `of_query`
  // Over key position - query position, -reach ... reach:
  OffsetSums offset_queries{};  // queries that have a key there
  OffsetSums offset_weight{};   // weight there
  OffsetSums offset_chosen{};   // queries whose largest weight is there

  // Adds the weights of a head in one sentence: (queries, keys), row after row.
  void add(const AttendedSequence& sequence, std::size_t head, std::span<const Scalar> weights,
           const HeadFigureRows& rows = head_figure_rows());
  HeadSums& operator+=(const HeadSums& other);
};

struct AttentionSums {
  AttentionSite site;
  std::vector<HeadSums> heads{};
  double queries = 0;
  // (heads, heads), 0 on the diagonal: distances between two heads, summed over the queries.
  std::vector<double> divergence{};       // between their weights
  std::vector<double> output_distance{};  // between their outputs
  // (heads, earlier heads): divergences from earlier attentions of the same kind
  std::map<AttentionSite, std::vector<double>> earlier{};
  std::vector<RelationSums> relations{};  // the relations that concern this attention

  // Adds one sentence, with the attention weights of each head.
  void add(const AttendedSequence& sequence, const WeightsByHead& weights,
           const HeadFigureRows& rows = head_figure_rows());
  // The outputs of each head for the same sentence, as unit rows (queries, D).
  void add_written(const std::vector<Tensor>& written);
  // The weights of this attention and of an earlier one of the same kind for the same sentence.
  void add_earlier(AttentionSite earlier_site, const WeightsByHead& weights,
                   const WeightsByHead& earlier_weights);
  AttentionSums& operator+=(const AttentionSums& other);
};

enum class Role {
  previous,
  next,
  positional,
  induction,
  duplicate,
  rare,
  first,
  idle,
  content,
  none
};
constexpr std::array<std::string_view, 10> role_names{
    "previous token", "next token",  "positional", "induction", "duplicate token",
    "rare token",     "first token", "idle",       "content",   "none"};
constexpr std::string_view name_of(Role role) { return role_names[static_cast<std::size_t>(role)]; }

// The thresholds of the roles. Roles are tried in the order of `Role`; the first that fits is the
// head's role. Shares of queries or of weights only count queries that may attend to such a key. A
// head must reach `lift` times the share of an even spread.
struct RoleThresholds {
  double positional = 0.9;  // share of queries, at one offset (Voita et al. 2019, section 5)
  double induction = 0.4;   // weight on the key after an earlier occurrence (Olsson et al. 2022)
  double induction_lift = 2;
  double duplicate = 0.4;  // on earlier occurrences of the token (Wang et al. 2022)
  double duplicate_lift = 2;
  double rare = 0.5;  // on the rarest token
  double rare_lift = 2;
  double first = 0.6;  // on the first key, of queries with several keys (Xiao et al. 2023)
  double first_lift = 2;
  double idle = 0.6;     // on the first and the last key (Clark et al. 2019, section 3.2)
  double content = 0.5;  // at most this share of an even spread's entropy
};

// A mean over queries; absent if no query has the figure.
struct MeanFigure {
  std::optional<double> value;
  std::optional<double> even;  // for an even spread
};

// A figure that is undefined is absent; 0 is a measured value.
struct HeadFigures {
  std::map<std::string, MeanFigure, std::less<>> means{};  // by the key of their row
  // The mean weight at each offset -reach ... reach; absent if no query has a key at this offset.
  std::array<std::optional<double>, static_cast<std::size_t>(offsets)> distance_profile{};
  std::optional<Index> offset;  // of the largest weight, most often; absent: no such offset
  // Share of the queries with a key at `offset`. Absent if no offset has half of all queries.
  std::optional<double> offset_share;
  Role role = Role::none;

  MeanFigure at(std::string_view key) const {
    const auto found = means.find(key);
    return found == means.end() ? MeanFigure() : found->second;
  }
};

HeadFigures figures_of(const HeadSums& sums, const HeadFigureRows& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION
