// The parameters that the heads of a self-attention learn for the distance between query and key.
#pragma once

#include "core/memory/pool.hpp"
#include "core/ops/attention/bias.hpp"
#include "core/ops/heads/head_columns.hpp"
#include "core/tape/tensor.hpp"
#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class HeadDistances {
 public:
  HeadDistances(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // What is added to the values, and to these queries' scores, which are later scaled by `scale`.
  AttentionBias operator()(Pass& pass, const HeadColumns& query, double scale) const;

  // Queries with Transformer-XL's content bias u (Dai et al. 2019, section 3.3): (q + u) k. For
  // other positions the queries are unchanged.
  HeadColumns with_content_bias(Pass& pass, const HeadColumns& query) const;

  void keep_heads(const KeptHeads& kept, const HeadDistances& smaller, HeadCopy& copy) const;

 private:
  Var distance_products(Pass& pass, const HeadColumns& query, double scale) const;
  Var sine_maps(Pass& pass) const;
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
