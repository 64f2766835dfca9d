// Computes scores from an attention's projected queries and keys, beyond dot products: other
// scores, rotary positions, learned scales, and learned numbers for distances.
#pragma once

#include "core/ops/attention/bias.hpp"
#include "core/tape/tensor.hpp"
#include "nn/attention/head_projections.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class HeadScores {
 public:
  HeadScores(const Scope& scope, const AttentionSpec& spec, Index max_positions);

  // The segments give the positions of the rows. Positions of rotary queries are at most `last`.
  // Show queries and keys after each step: `query_by_score`, `key_by_score`, `query_rotated`,
  // `key_rotated`, `query_scaled`.
  HeadColumns query(Pass& pass, const HeadColumns& projected, const Segments& segments,
                    Index last = Pattern::unlimited) const;
  HeadColumns key(Pass& pass, const HeadColumns& heads, const Segments& segments) const;

  // The rotary keys of `heads` heads, with `positions` subtracted from each position.
  Var turned_back(const HeadColumns& keys, Index positions, Index heads) const;

  double scale() const;  // for the products of query() and key()
  // The scores other than dot products, for AttentionOptions, and their learned numbers.
  PoolVector<std::shared_ptr<const PairScore>> functions() const;
  std::optional<Var> function_weights(Pass& pass) const;

  // Whether keys that are equal in all heads are still equal after key().
  bool alike() const;

  void keep_heads(const KeptHeads& kept, HeadCopy& copy) const;

 private:
  HeadColumns each_by_its_score(Pass& pass, const HeadColumns& heads, bool query) const;
  HeadColumns rotated(const HeadColumns& heads, const Segments& segments, Index count,
                      Index last) const;

  AttentionSpec spec_;
  Module module_;
  Parameter bilinear_;  // (heads with this score * d_qk, d_qk), stacked
  Parameter additive_;  // (heads with this score, d_qk)
  Parameter scales_;    // (H)
  Tensor rotations_;    // (P, d_qk)
};

// The parameters that the heads of a self-attention learn for the distance between query and key.
class HeadDistances {
 public:
  HeadDistances(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // The bias on the values and on these queries' scores, which are multiplied by `scale` later.
  AttentionBias operator()(Pass& pass, const HeadColumns& query, double scale) const;

  // Queries, with Transformer-XL's content bias u if it is used (Dai et al. 2019, 3.3): (q + u) k.
  HeadColumns with_content_bias(Pass& pass, const HeadColumns& query) const;

  // Transformer-XL's W_h R_b of each head, one head below the other: (H B, d_qk).
  Var sine_maps(Pass& pass) const;

  void keep_heads(const KeptHeads& kept, HeadCopy& copy) const;

 private:
  Var distance_products(Pass& pass, const HeadColumns& query, double scale) const;
  Var plus(Pass& pass, const HeadColumns& query, const Parameter& row) const;

  AttentionSpec spec_;
  DistanceBuckets buckets_;
  PoolVector<double> slopes_;
  Parameter keys_;      // (B, d_qk), or T5's (H, B)
  Parameter values_;    // (B, d_v)
  Parameter sines_of_;  // (H d_qk, D): Transformer-XL's W_kR
  Parameter content_;   // (H d_qk): u
  Parameter place_;     // (H d_qk): v
  Tensor sines_;        // (B, D): R
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
