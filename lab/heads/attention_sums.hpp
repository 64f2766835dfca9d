// What the heads of an attention do, alone and compared with each other, summed over any number of
// sentences.
#pragma once

#include <string_view>
#include <vector>

#include "core/tape/tensor.hpp"
#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_sums.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// "encoder self", "decoder self" or "decoder cross". The heads of attentions of one kind have the
// same queries and keys.
std::string_view words_of(AttentionKind kind);

// The heads of one attention compared with those of an earlier attention of the model.
struct EarlierSums {
  AttentionSite site;
  std::vector<double> divergence;  // (heads, earlier heads), as in AttentionSums
};

// All heads of one attention.
struct AttentionSums {
  AttentionSite site;
  std::vector<HeadSums> heads;
  double queries = 0;
  // (heads, heads), 0 between a head and itself: the distance between the weights, and between the
  // outputs, of two heads, summed over the queries (lab/heads/head_pairs.hpp).
  std::vector<double> divergence;
  std::vector<double> output_distance;
  std::vector<EarlierSums> earlier;     // of the same kind, in the model's order
  std::vector<RelationSums> relations;  // those about this attention

  // Adds one sentence, with the attention weights of each head.
  void add(const AttendedSequence& sequence, const std::vector<std::vector<Scalar>>& weights);
  // Adds for the same sentence the outputs of each head for the queries, as unit rows: (queries,
  // D).
  void add_written(const std::vector<Tensor>& written);
  // Adds for the same sentence the weights of this attention and of an earlier one of the same
  // kind.
  void add_earlier(AttentionSite earlier_site, const std::vector<std::vector<Scalar>>& weights,
                   const std::vector<std::vector<Scalar>>& earlier_weights);
  AttentionSums& operator+=(const AttentionSums& other);
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
