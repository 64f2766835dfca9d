// The results about the heads of an attention.
#pragma once

#include "lab/figure_table.hpp"
#include "lab/heads/head_figures.hpp"
#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The two linear maps of a head: from pairs of inputs to scores, and from the attended input to the
// output (the QK and OV circuits of Elhage et al. 2021).
struct MapFigures {
  double norm = 0;  // Frobenius
  // exp of the entropy of the singular values' shares (Roy and Vetterli 2007); absent if all are 0.
  std::optional<double> rank;
  Index width = 0;  // the head's: no rank is larger
};

struct HeadMaps {
  MapFigures query_key;     // W_Qᵀ W_K: (D, D)
  MapFigures value_output;  // W_Vᵀ W_Oᵀ: (D, D)
  // |M - Mᵀ| / (2 |M|) of M = W_Qᵀ W_K in Frobenius norms. It is 0 if scores stay the same when
  // query and key are exchanged, sqrt(1/2) for two unrelated matrices, and at most 1. Only for
  // self-attention, and not if M is 0.
  std::optional<double> asymmetry{};
};

// For each head the map (d_v, D) from its output to its contribution: its columns of the output
// weight, transposed. Without such a weight it is the head's columns or its factor. The
// contributions of all heads and the output bias add up to the attention's output.
std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention);

// (n, d_v), (d_v, D) -> (n, D)
Tensor written_by(const Tensor& output, const Tensor& write);

// The maps of each head of an attention; none without projections, without an output weight of its
// own, or with scores other than dot products: then a head is not bilinear in its input.
std::vector<std::optional<HeadMaps>> head_maps(const ParameterStore& store,
                                               const MultiHeadAttention& attention);

// The nearest of several heads, and its mean distance.
struct NearestHead {
  AttentionSite site;
  std::size_t head = 0;
  double distance = 0;
};

struct HeadReport {
  HeadFigures figures;
  std::optional<HeadMaps> maps;
  std::vector<double> divergence{};  // mean from each head of the same attention, in nats
  // Mean 1 - cos from the output of each head of the same attention over the queries.
  std::vector<double> output_distance{};
  // Like `divergence`, but from the heads of all other attentions of the same kind.
  std::map<AttentionSite, std::vector<double>> divergence_across{};
  std::optional<NearestHead> nearest{};  // by divergence, over all layers
};

struct AttentionReport {
  AttentionSite site;
  double queries = 0;
  std::vector<HeadReport> heads{};
  std::vector<RelationFigures> relations{};  // that the task knows, with each head's agreement
};

// The heads of all attentions, one after the other.
std::vector<ReportedHead> heads_of(const std::vector<AttentionReport>& attentions);

// The head that agrees most with a relation, of all attentions that the relation is about.
struct BestHead {
  AttentionSite site;
  std::size_t head = 0;
  RelationFigures relation;  // of the head's attention

  // Absent if no head may attend to a related key.
  std::optional<double> agreement() const { return relation.agreement[head]; }
  double random() const { return relation.random[head]; }
};

// One for each relation and kind of attention.
std::vector<BestHead> best_heads(const std::vector<AttentionReport>& attentions);

// A head's closest relation, with the share of queries in which the two agree, and in which the
// best fixed offset would: "answer 93 %, best fixed offset 53 %". Empty if the head agrees with no
// relation.
std::string relation_text(const AttentionReport& attention, std::size_t head);

// What is said of a best head, and the table of them. Empty where the task knows of no relations.
std::vector<FigureRow<BestHead>> relation_rows();
std::string relations_table(const std::vector<AttentionReport>& attentions);

}}  // namespace tapehead::TAPEHEAD_PRECISION
