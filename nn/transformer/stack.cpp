#include "nn/transformer/stack.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Var Stack::operator()(Pass& pass, const Tokens& tokens, const Context* context,
                      KeyValueCache* cache) const {
  Var x = embedding(pass, tokens);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (cache == nullptr) {
      x = layers[i](pass, x, tokens.segments, context);
    } else {
      const CachedLayer cached{.layer = cache->layer(i), .keys = cache->keys()};
      x = layers[i](pass, x, tokens.segments, context, &cached);
    }
  }
  return closing_norm ? (*closing_norm)(pass, x) : x;
}

KeyValueCache Stack::make_cache(Index sequences, Index longest) const {
  std::vector<Index> columns;
  for (const Layer& layer : layers) {
    columns.push_back(layer.self.cache_columns());
  }
  return {columns, sequences, longest};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
