// A layer (Vaswani et al. 2017, section 3.1): self-attention, optional cross-attention with a
// context, and an optional feed-forward block, each in a residual connection.
#pragma once

#include "nn/attention/multi_head_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The feed-forward block (Vaswani et al. 2017, 3.3), plain or with a gate (Shazeer 2020, 2).
struct FeedForward {
  // `stack`: the stack to whose rows the output is added.
  FeedForward(const Scope& scope, const ModelOptions& options, StackName stack);
  BlockOutput operator()(Pass& pass, const Var& x,
                         const Segments& segments) const;  // (N, D) -> (N, D)

  bool gated;
  Activation activation;
  double dropout;
  std::string path;        // the stream of the random draws
  Parameter inner_weight;  // (F, D); gated: inner and gate stacked, (2 F, D)
  Parameter inner_bias;    // (F) or (2 F), with biases
  Parameter outer_weight;  // (D, F)
  Parameter outer_bias;    // (D), with biases
};

struct Layer {
  struct Cross {
    MultiHeadAttention attention;
    Residual residual;
  };
  struct Positionwise {
    FeedForward block;
    Residual residual;
  };

  Layer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention, StackName stack,
        Index number);

  // Another layer with the same weights (Lan et al. 2020, section 3.1) but its own site and draws.
  Layer repeated(const Scope& scope, const ModelOptions& options, Index number) const;

  // (N, D) -> (N, D). `own`: the source of the self-attention; its rows before x are inputs of the
  // layer. `context`: the source of the cross-attention, if the layer has one.
  Var operator()(Pass& pass, const Var& x, const Segments& segments, const KeySource& own,
                 const std::optional<KeySource>& context = {}) const;

  std::string path;  // of the layer's weights
  MultiHeadAttention self;
  Residual self_residual;
  std::optional<Cross> cross;
  std::optional<Positionwise> feed_forward;
};

struct Stack {
  // (N tokens) -> (N, D). `context`: the rows for cross-attention, which another stack made of the
  // same sequences; null without cross-attention. With a cache, the tokens follow the cached
  // tokens, and KeyValueCache::extend must have been called. Tokens of lanes also attend to the
  // rows of their lanes in the pass's memory, and are stored there.
  Var operator()(Pass& pass, const Tokens& tokens, const SequenceRows* context = nullptr,
                 KeyValueCache* cache = nullptr) const;

  KeyValueCache make_cache(Index sequences, Index longest) const;

  // KeyValueCache::forget() for this stack. The remaining rows are not computed again.
  void forget(KeyValueCache& cache, Index slot, Index keep, Index sinks = 0) const;

  // The numbers of rows that a query sees. Known only if all queries see only sinks and a window,
  // and see them at their positions in a cache that holds only these rows.
  struct SeenRows {
    Index sinks;
    Index window;  // before the query

    bool operator==(const SeenRows&) const = default;
  };
  std::optional<SeenRows> seen_rows() const;

  StackName name;
  std::string path;  // of the layers and the last norm
  TokenEmbedding embedding;
  std::vector<Layer> layers;
  std::optional<Norm> closing_norm;  // with pre-norm
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
