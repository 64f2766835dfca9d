// A stack of layers: maps tokens to rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/token_embedding.hpp"
#include "nn/transformer/layer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Stack {
  // (N tokens) -> (N, D). `context`: what the cross-attention of its layers attends to; null if
  // they have none. With a cache, the tokens are those that follow the cached ones, and
  // KeyValueCache::extend was called for them. Tokens of lanes also see what the memory of the pass
  // has of their lanes, and are remembered.
  Var operator()(Pass& pass, const Tokens& tokens, const Context* context = nullptr,
                 KeyValueCache* cache = nullptr) const;

  // An empty cache for `sequences` sequences of at most `longest` tokens.
  KeyValueCache make_cache(Index sequences, Index longest) const;

  // Removes rows of a slot until the first `sinks` and the last `keep` are left. The rows that stay
  // are not computed again.
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
