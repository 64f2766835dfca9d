// A layer of a stack: self-attention, cross-attention if there is a context, and a feed-forward
// block unless the model has none, each in a residual connection (Vaswani et al. 2017, section
// 3.1).
#pragma once

#include <optional>
#include <string>

#include "nn/attention/attention.hpp"
#include "nn/feed_forward.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The output of another stack for the same sequences.
struct Context {
  Var rows;  // (S, D)
  const Segments& segments;
};

// What a memory has of the same sequences: their rows before a layer, from earlier batches.
struct Past {
  Var rows;  // (R, D)
  const Segments& segments;
};

// For decoding of new rows: the cached rows of a layer, and where they are (KeyValueCache::keys).
struct CachedLayer {
  LayerCache& layer;
  const Segments& keys;
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
  enum class Reads { itself, context_too };

  Layer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention, StackName stack,
        Index number, Reads reads);

  // A further layer with the weights of this one (Lan et al. 2020, section 3.1). Its site and its
  // random draws are its own. Throws ConfigError if the settings of its attentions need other
  // weights.
  Layer repeated(const Scope& scope, AttentionMaker& attention, Index number) const;

  // (N, D) -> (N, D). `context`: null in a layer without cross-attention. Not both of `cached` and
  // `past`.
  Var operator()(Pass& pass, const Var& x, const Segments& segments,
                 const Context* context = nullptr, const CachedLayer* cached = nullptr,
                 const Past* past = nullptr) const;

  std::string path;  // of its weights
  MultiHeadAttention self;
  Residual self_residual;
  std::optional<Cross> cross;
  std::optional<Positionwise> feed_forward;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
