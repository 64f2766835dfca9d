// A layer: self-attention, cross-attention with a context, and a feed-forward block unless the
// model has none, each in a residual connection (Vaswani et al. 2017, section 3.1).
#pragma once

#include "nn/attention/multi_head_attention.hpp"
#include "nn/residual_stream.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The position-wise feed-forward block (Vaswani et al. 2017, section 3.3), plain or with a gate
// (Shazeer 2020, section 2).
struct FeedForward {
  // `stack`: the one whose rows the block's output is added to.
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

  // A further layer with these weights (Lan et al. 2020, section 3.1), but its own site and draws.
  Layer repeated(const Scope& scope, const ModelOptions& options, Index number) const;

  // (N, D) -> (N, D). `own`: of the self-attention; rows before x are as they come to the layer.
  // `context`: of the cross-attention, if the layer has one.
  Var operator()(Pass& pass, const Var& x, const Segments& segments, const KeySource& own,
                 const std::optional<KeySource>& context = {}) const;

  std::string path;  // of its weights
  MultiHeadAttention self;
  Residual self_residual;
  std::optional<Cross> cross;
  std::optional<Positionwise> feed_forward;
};

struct Stack {
  // (N tokens) -> (N, D). `context`: what the cross-attention of its layers attends to, the output
  // of another stack for the same sequences; null if they have none. With a cache, the tokens are
  // those that follow the cached ones, and KeyValueCache::extend was called for them. Tokens of
  // lanes also see what the memory of the pass has of their lanes, and are remembered.
  Var operator()(Pass& pass, const Tokens& tokens, const SequenceRows* context = nullptr,
                 KeyValueCache* cache = nullptr) const;

  // An empty cache for `sequences` sequences of at most `longest` tokens.
  KeyValueCache make_cache(Index sequences, Index longest) const;

  // As KeyValueCache::forget. The rows that stay are not computed again.
  void forget(KeyValueCache& cache, Index slot, Index keep, Index sinks = 0) const;

  // If queries see only the first rows of a sequence and a window, at positions in a cache that
  // holds no others: how many.
  struct SeenRows {
    Index sinks;
    Index window;  // before the query

    bool operator==(const SeenRows&) const = default;
  };
  std::optional<SeenRows> seen_rows() const;

  StackName name;
  std::string path;  // of its layers and its last norm
  TokenEmbedding embedding;
  std::vector<Layer> layers;
  std::optional<Norm> closing_norm;  // with pre-norm
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
