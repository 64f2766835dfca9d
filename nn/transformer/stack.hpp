// A stack: from tokens to rows, layer by layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/token_embedding.hpp"
#include "nn/transformer/layer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Stack {
  // (N tokens) -> (N, D). `context`: what its layers' cross-attention reads; null where they have
  // none. With a cache, which the tokens have extended (KeyValueCache::extend), they are those that
  // follow what it holds.
  Var operator()(Pass& pass, const Tokens& tokens, const Context* context = nullptr,
                 KeyValueCache* cache = nullptr) const;

  // An empty cache for so many sequences of at most `longest` tokens.
  KeyValueCache make_cache(Index sequences, Index longest) const;

  StackName name;
  std::string path;  // of its layers and its closing norm
  TokenEmbedding embedding;
  std::vector<Layer> layers;
  std::optional<Norm> closing_norm;  // with pre-norm
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
