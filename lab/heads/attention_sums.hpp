// What the heads of an attention do, alone and beside each other, summed over as many sentences as
// one likes.
#pragma once

#include <string_view>
#include <vector>

#include "core/tape/tensor.hpp"
#include "lab/heads/head_agreement.hpp"
#include "lab/heads/head_sums.hpp"
#include "nn/attention_site.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// "encoder self", "decoder self" or "decoder cross": heads of attentions of one kind have the same
// queries and keys.
std::string_view words_of(AttentionKind kind);

// The heads of one attention against those of one that the model comes to earlier.
struct EarlierSums {
  AttentionSite site;
  std::vector<double> divergence;  // (heads, earlier heads), as in AttentionSums
};

// All heads of one attention.
struct AttentionSums {
  AttentionSite site;
  std::vector<HeadSums> heads;
  double queries = 0;
  // (heads, heads), 0 between a head and itself: how far two heads' weights and what they write are
  // apart, summed over the queries (lab/heads/head_pairs.hpp).
  std::vector<double> divergence;
  std::vector<double> output_distance;
  std::vector<EarlierSums> earlier;     // of the same kind, in the model's order
  std::vector<RelationSums> relations;  // that are about this attention

  // Adds the weights of one sentence by each head.
  void add(const AttendedSequence& sequence, const std::vector<std::vector<Scalar>>& weights);
  // Beside it what each head writes for the sentence's queries, as unit rows: (queries, D).
  void add_written(const std::vector<Tensor>& written);
  // And both attentions' weights of the sentence, where an attention of the same kind came before.
  void add_earlier(AttentionSite earlier_site, const std::vector<std::vector<Scalar>>& weights,
                   const std::vector<std::vector<Scalar>>& earlier_weights);
  AttentionSums& operator+=(const AttentionSums& other);
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
