// Multi-head attention (Vaswani et al. 2017, section 3.2.2), in the variant that its settings
// describe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/ops/attention/attention.hpp"
#include "nn/attention/head_combination.hpp"
#include "nn/attention/head_distances.hpp"
#include "nn/attention/head_projections.hpp"
#include "nn/attention/head_scores.hpp"
#include "nn/attention/key_value_cache.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The parts of an attention that have parameters. Several attentions may share them.
struct AttentionWeights {
  AttentionWeights(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec,
                   AttentionInputs inputs);

  std::string path;
  HeadProjections projections;
  HeadScores scores;
  HeadDistances distances;
  L0Gates gates;
  HeadCombination combination;
};

struct MultiHeadAttention {
  MultiHeadAttention(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec,
                     AttentionInputs inputs, AttentionSite site = {});
  // With the weights of another attention.
  MultiHeadAttention(const Scope& scope, const AttentionSpec& spec, AttentionInputs inputs,
                     AttentionSite site, const AttentionWeights& weights);

  // Query i of `queries` attends to segment i of `keys`; the three inputs may differ. (N, D), (S,
  // D), (S, D) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& query, const Var& key, const Var& value,
                         const Segments& queries, const Segments& keys) const;

  // Self-attention to rows that came before, which have no queries, and to the rows themselves.
  // past: (R, D), x: (N, D), of the same sequences.
  BlockOutput self_with_past(Pass& pass, const Var& past, const Segments& past_segments,
                             const Var& x, const Segments& segments) const;

  // Self-attention of new rows to themselves and to the earlier rows that are cached. Segment i of
  // `keys` says where all of them are in `kept`; the new ones are written there, at the end.
  BlockOutput cached_self(Pass& pass, const Var& x, const Segments& queries, Tensor& kept,
                          const Segments& keys) const;

  // Subtracts `positions` from the rotary positions of cached keys.
  void turn_back(Tensor kept, Index positions) const;

  // Cross-attention. The keys and values of the context are computed in the first call and kept.
  BlockOutput cached_cross(Pass& pass, const Var& x, const Var& memory, const Segments& queries,
                           const Segments& keys, std::optional<KeysAndValues>& cache) const;

  const Pattern& pattern_of(Index head) const;

  // Copies the parameters of the heads that are kept to an attention with only these heads.
  void keep_heads(const KeptHeads& kept, const MultiHeadAttention& smaller, HeadCopy& copy) const;

  // The columns of a cached row: first those of keys, then those of values.
  Index key_columns() const;
  Index cache_columns() const;

  AttentionSpec spec;
  AttentionInputs inputs;
  AttentionSite site;
  Module module;
  PoolVector<Pattern> patterns;  // one for all heads, or one for each
  // The same for scores that are not dot products; empty: all are.
  PoolVector<std::shared_ptr<const PairScore>> pair_scores;
  std::string head_dropout_path;
  AttentionWeights weights;
  // Heads that a study gives weights in the place of their own (lab/inspection). Passes that record
  // gradients then throw logic_error.
  std::map<Index, DistanceWeights> by_distance;

 private:
  struct Heads {
    HeadColumns query;
    HeadColumns key;
    HeadColumns value;
    std::optional<HeadColumns> sink_query{};
  };
  std::optional<HeadColumns> sink_query(Pass& pass, const HeadColumns& projected,
                                        const Segments& positions) const;
  BlockOutput attend(Pass& pass, const Heads& heads, const Segments& queries,
                     const Segments& keys) const;
  // The arguments of the attention op.
  struct Call {
    Heads heads;
    const Segments& queries;
    const Segments& keys;
    AttentionOptions options;
    AttentionBias bias;
    std::optional<Var> score_weights;
  };
  Var with_given_weights(Pass& pass, const Call& call, const Var& outputs) const;
  void attend_by_distance(const Call& call, const DistanceWeights& given, Index head, Index segment,
                          Tensor& y) const;
  void record(Pass& pass, const Call& call, const Tensor& outputs) const;
  BlockOutput nothing(Pass& pass, const Segments& queries) const;  // for attention without heads
};

// Makes the attentions of a model. Those with the same name (AttentionSpec::shared_as) share their
// weights.
class AttentionMaker {
 public:
  // Throws ConfigError if the options break a rule of model_rules.hpp about attentions.
  AttentionMaker(const Scope& root, const ModelOptions& options);

  MultiHeadAttention make(const Scope& scope, AttentionSite site);

  // An attention with the weights of another one, as in layers that share theirs.
  MultiHeadAttention make_sharing(const Scope& scope, AttentionSite site,
                                  const MultiHeadAttention& shared) const;

 private:
  Scope root_;
  const ModelOptions& options_;
  std::map<std::string, AttentionWeights> shared_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
