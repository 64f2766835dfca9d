// The results about the heads of an attention.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_figures.hpp"
#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The two linear maps of a head: from pairs of inputs to scores, and from the attended input to the
// output (the QK and OV circuits of Elhage et al. 2021).
struct MapFigures {
  double norm = 0;  // Frobenius
  // exp of the entropy of the singular values' shares (Roy and Vetterli 2007); absent where all
  // are 0.
  std::optional<double> rank;
  Index width = 0;  // the head's: no rank is larger
};

struct HeadMaps {
  MapFigures query_key;     // W_Qᵀ W_K: (D, D)
  MapFigures value_output;  // W_Vᵀ W_Oᵀ: (D, D)
  // |M - Mᵀ| / (2 |M|) of M = W_Qᵀ W_K in Frobenius norms. It is 0 if scores stay the same when
  // query and key are exchanged, sqrt(1/2) for two unrelated matrices, and at most 1. Only for
  // self-attention, and not if M is 0.
  std::optional<double> asymmetry;
};

// The maps of each head of an attention. There are none if the scores or the output of a head are
// not a bilinear function of its input: without projections, without its own output weight, or with
// scores other than dot products.
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
  // Mean over the queries of 1 - cos between the outputs of two heads, for each head of the same
  // attention.
  std::vector<double> output_distance{};
  // Like `divergence`, but from the heads of all other attentions of the same kind.
  std::map<AttentionSite, std::vector<double>> divergence_across{};
  std::optional<NearestHead> nearest{};  // by divergence, over all layers
};

struct AttentionReport {
  AttentionSite site;
  double queries = 0;
  std::vector<HeadReport> heads;
  std::vector<RelationFigures> relations;  // those that the task knows, with each head's agreement
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
