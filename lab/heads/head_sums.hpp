// What the heads of an attention do, alone and compared with each other, summed over any number of
// sentences; memory does not grow with them. All figures come from these sums.
#pragma once

#include "core/scalar.hpp"
#include "core/tape/tensor.hpp"
#include "lab/heads/attended_sequence.hpp"
#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_figure_rows.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A figure over the queries that have it, and what an even spread would give (QueryFigure).
struct MeanSum {
  double queries = 0;
  double value = 0;
  double even = 0;

  MeanSum& operator+=(const MeanSum& other);
};

// p ln p, in nats, which tends to 0 with p.
inline double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0; }

double dot_product(const Scalar* a, const Scalar* b, Index count);  // summed in double precision

// The distance between two heads by their weights, row after row: Σ_queries of the Jensen-Shannon
// divergence in nats, at most log 2 for each query (Lin 1991; between heads as in Clark et al.
// 2019, section 6).
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q);

// The rows of x, each scaled to length 1. Rows of zeros stay zero.
Tensor unit_rows(const Tensor& x);

// The distance by their outputs, as unit rows: Σ_queries 1 - cos, 1 where one of them is zero.
double output_distance_between(const Tensor& a, const Tensor& b);

constexpr Index reach = 8;  // farther offsets count as the outermost ones
constexpr Index offsets = 2 * reach + 1;
using OffsetSums = std::array<double, static_cast<std::size_t>(offsets)>;

struct HeadSums {
  double queries = 0;          // that may attend to any key
  std::vector<MeanSum> means;  // by row; those without `of_query` stay 0
  // Over key position - query position, -reach ... reach:
  OffsetSums offset_queries{};  // queries that have a key there
  OffsetSums offset_weight{};   // weight there
  OffsetSums offset_chosen{};   // queries whose largest weight is there

  // Adds the weights that a head has in one sentence: (queries, keys), row after row.
  void add(const AttendedSequence& sequence, std::size_t head, std::span<const Scalar> weights,
           const std::vector<HeadFigureRow>& rows = head_figure_rows());
  HeadSums& operator+=(const HeadSums& other);
};

// The heads of one attention compared with those of an earlier attention of the model.
struct EarlierSums {
  AttentionSite site;
  std::vector<double> divergence{};  // (heads, earlier heads), as in AttentionSums
};

// All heads of one attention.
struct AttentionSums {
  AttentionSite site;
  std::vector<HeadSums> heads{};
  double queries = 0;
  // (heads, heads), 0 between a head and itself: the distance between the weights, and between the
  // outputs, of two heads, summed over the queries.
  std::vector<double> divergence{};
  std::vector<double> output_distance{};
  std::vector<EarlierSums> earlier{};     // of the same kind, in the model's order
  std::vector<RelationSums> relations{};  // those about this attention

  // Adds one sentence, with the attention weights of each head.
  void add(const AttendedSequence& sequence, const std::vector<std::vector<Scalar>>& weights,
           const std::vector<HeadFigureRow>& rows = head_figure_rows());
  // For the same sentence the outputs of each head as unit rows: (queries, D).
  void add_written(const std::vector<Tensor>& written);
  // For the same sentence the weights of this attention and of an earlier one of the same kind.
  void add_earlier(AttentionSite earlier_site, const std::vector<std::vector<Scalar>>& weights,
                   const std::vector<std::vector<Scalar>>& earlier_weights);
  AttentionSums& operator+=(const AttentionSums& other);
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
