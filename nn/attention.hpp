// Multi-head attention (Vaswani et al. 2017, section 3.2.2).
#pragma once

#include <string>

#include "core/ops/attention.hpp"
#include "nn/cache.hpp"
#include "nn/residual.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Which inputs are one and the same, so that their projections can be one product.
enum class AttentionInputs { self, cross, separate };

struct MultiHeadAttention {
  MultiHeadAttention(const Scope& scope, const ModelOptions& options, AttentionInputs inputs,
                     Pattern pattern);

  // Query i of `queries` attends to segment i of `keys`; the three inputs may differ. (N, D), (S,
  // D), (S, D) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& query, const Var& key, const Var& value,
                         const Segments& queries, const Segments& keys) const;

  // Self-attention of new rows to themselves and to the rows kept before them, which they join.
  BlockOutput cached_self(Pass& pass, const Var& x, const Segments& queries, SelfCache& cache,
                          const Segments& slots) const;

  // Cross-attention with the source's keys and values projected at the first call and kept.
  BlockOutput cached_cross(Pass& pass, const Var& x, const Var& memory, const Segments& queries,
                           const Segments& keys, std::optional<Var>& cache) const;

  Index width() const { return heads * d_head; }

  Index heads;
  Index d_head;
  AttentionInputs inputs;
  Pattern pattern;
  double dropout;
  Module module;
  Parameter query_weight;  // (H d, D); self: query, key and value stacked, (3 H d, D)
  Parameter query_bias;
  Parameter key_weight;  // cross: key and value stacked, (2 H d, D)
  Parameter key_bias;
  Parameter value_weight;  // of its own only with separate inputs
  Parameter value_bias;
  Parameter output_weight;  // (D, H d)
  Parameter output_bias;

 private:
  BlockOutput attend(Pass& pass, const HeadColumns& query, const HeadColumns& key,
                     const HeadColumns& value, const Segments& queries, const Segments& keys) const;
  void record(Pass& pass, const HeadColumns& query, const HeadColumns& key, const Segments& queries,
              const Segments& keys, const AttentionOptions& options) const;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
