// Multi-head attention (Vaswani et al. 2017, section 3.2.2) and its variants.
#pragma once

#include "nn/attention/caches.hpp"
#include "nn/attention/head_scores.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The parts of an attention that have parameters. Several attentions may share them.
struct AttentionWeights {
  AttentionWeights(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  std::string path;
  HeadProjections projections;
  HeadScores scores;
  HeadDistances distances;
  L0Gates gates;
  HeadCombination combination;
};

struct SequenceRows {
  Var rows;  // (R, D)
  const Segments& segments;
};

// Where keys and values come from. Query segment i attends to key segment i. By default, the
// queries' own rows are projected to keys and values.
struct KeySource {
  const Segments& segments;              // of all keys
  std::optional<SequenceRows> before{};  // rows before the queries' own rows: a memory
  std::optional<Var> rows{};             // a context, used instead of the queries' own rows: (S, D)
  // Stores projections. The queries' own rows are written to the ends of the key segments; earlier
  // rows of the segments are attended to as they are. A context is projected only once.
  LayerCache* cache = nullptr;
};

struct MultiHeadAttention {
  // `weights` may belong to this attention alone or to several.
  MultiHeadAttention(const Scope& scope, const AttentionSpec& spec, AttentionSite site,
                     const AttentionWeights& weights);

  // The rows x attend to the keys of a source: (N, D) -> (N, D). Shows x as `input`, other rows
  // that keys and values are made of as `key_input`, the projections as `query`, `key` and `value`,
  // queries with a content bias as `query_content`, and the heads' outputs side by side as `output`
  // and, behind their gates, as `heads`.
  BlockOutput operator()(Pass& pass, const Var& x, const Segments& queries,
                         const KeySource& from) const;

  // Subtracts `positions` from the rotary positions of cached keys.
  void turn_back(Tensor kept, Index positions) const;

  const Pattern& pattern_of(Index head) const {
    return patterns[patterns.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  }

  // Keeps the parameters of these heads for an attention with only these heads. An output weight,
  // with columns of each head, must combine the heads.
  void keep_heads(const KeptHeads& kept, HeadCopy& copy) const;

  // The number of columns of a cached row: first the keys' columns, then the values'.
  Index key_columns() const;
  Index cache_columns() const;

  AttentionSpec spec;
  AttentionSite site;
  Module module;
  PoolVector<Pattern> patterns;  // one for all heads, or one per head
  // Scores other than dot products, one for all heads or one per head; empty: only dot products.
  PoolVector<std::shared_ptr<const PairScore>> pair_scores;
  std::string head_dropout_path;
  AttentionWeights weights;

 private:
  KeysAndValues keep(Pass& pass, const KeysAndValues& made, const Segments& queries,
                     const KeySource& from) const;
  std::optional<HeadColumns> sink_query(Pass& pass, const HeadColumns& projected,
                                        const Segments& positions) const;
  BlockOutput attend(Pass& pass, const HeadColumns& query, const KeysAndValues& to,
                     const std::optional<HeadColumns>& of_sinks, const Segments& queries,
                     const Segments& keys) const;
  Var studied(Pass& pass, const AttentionCall& call, const Var& outputs) const;
  void attend_by(const Tensor& weights, const AttentionCall& call, Index head, Index segment,
                 Tensor& y) const;
};

// Makes the attentions of a model. Attentions with the same name (shared_as) share weights.
class AttentionMaker {
 public:
  // Throws ConfigError if the options break a rule of model_rules.hpp about attentions.
  AttentionMaker(const Scope& root, const ModelOptions& options);

  MultiHeadAttention make(const Scope& scope, AttentionSite site);

 private:
  Scope root_;
  const ModelOptions& options_;
  std::map<std::string, AttentionWeights> shared_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
