// The figures of the heads of an attention.
#pragma once

#include "lab/heads/head_figures.hpp"
#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Figures of a linear map of a head. A head has two maps: from pairs of inputs to scores, and from
// the attended input to the output (the QK and OV circuits of Elhage et al. 2021).
struct MapFigures {
  double norm = 0;  // Frobenius
  // exp of the entropy of the singular values' shares (Roy and Vetterli 2007); absent if all are 0.
  std::optional<double> effective_rank;
  Index width = 0;  // of the head, the largest possible effective_rank
};

struct HeadMaps {
  MapFigures query_key;     // W_Qᵀ W_K: (D, D)
  MapFigures value_output;  // W_Vᵀ W_Oᵀ: (D, D)
  // |M - Mᵀ| / (2 |M|) of M = W_Qᵀ W_K in Frobenius norms: 0 if query and key can be exchanged,
  // sqrt(1/2) if M and Mᵀ are unrelated, at most 1. Only for self-attention; absent if M is 0.
  std::optional<double> asymmetry{};
};

// For each head, the map (d_v, D) from its output to its contribution: its columns of the output
// weight, transposed. Without an output weight, the map does what `combine` does. All contributions
// plus the output bias are the attention's output.
std::vector<Tensor> head_writes(const ParameterStore& store, const MultiHeadAttention& attention);

Tensor written_by(const Tensor& output, const Tensor& write);  // (n, d_v), (d_v, D) -> (n, D)

// The maps of each head. Absent without projections, without an output weight, or if scores are not
// dot products: such a head is not bilinear in its input.
std::vector<std::optional<HeadMaps>> head_maps(const ParameterStore& store,
                                               const MultiHeadAttention& attention);

struct NearestHead {
  AttentionSite site;
  std::size_t head = 0;
  double distance = 0;  // mean
};

struct HeadReport {
  HeadFigures figures;
  std::optional<HeadMaps> maps;
  std::vector<double> divergence{};  // mean from each head of the same attention, in nats
  // Mean 1 - cos from the output of each head of the same attention over the queries.
  std::vector<double> output_distance{};
  // Like `divergence`, but from the heads of every other attention of the same kind.
  std::map<AttentionSite, std::vector<double>> divergence_across{};
  std::optional<NearestHead> nearest{};  // by divergence, over all layers
};

struct AttentionReport {
  AttentionSite site;
  double queries = 0;
  std::vector<HeadReport> heads{};
  std::vector<RelationFigures> relations{};  // the task's relations, with each head's agreement
};
using AttentionReports = std::vector<AttentionReport>;

std::vector<ReportedHead> heads_of(const AttentionReports& attentions);

// The head that agrees most with a relation, among all attentions to which the relation applies.
struct BestHead {
  AttentionSite site;
  std::size_t head = 0;
  RelationFigures relation;  // of the head's attention

  // Absent if no head may attend to a related key.
  std::optional<double> agreement() const { return relation.agreement[head]; }
  double random() const { return relation.random[head]; }
};

// One for each relation and kind of attention.
std::vector<BestHead> best_heads(const AttentionReports& attentions);

// A head's closest relation, the share of queries in which the head agrees with it, and the share
// of the best fixed offset: "answer 93 %, best fixed offset 53 %". Empty without such a relation.
std::string relation_text(const AttentionReport& attention, std::size_t head);

// The figures of a best head, and a table of all best heads. The table is empty without relations.
std::vector<FigureRow<BestHead>> relation_rows();
std::string relations_table(const AttentionReports& attentions);

}}  // namespace tapehead::TAPEHEAD_PRECISION
