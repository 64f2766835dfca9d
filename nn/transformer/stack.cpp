#include "nn/transformer/stack.hpp"

#include <algorithm>

#include "nn/lane_memory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Var run_with_memory(Pass& pass, const Layer& layer, Index number, const Tokens& tokens,
                    const Segments& past_segments, const Var& x) {
  LaneMemory& memory = *pass.memory;
  memory.write(number, tokens, past_segments, x.value());
  if (row_count(past_segments) == 0) {
    return layer(pass, x, tokens.segments);
  }
  const Past past{.rows = pass.tape().constant(memory.read(number, tokens, past_segments)),
                  .segments = past_segments};
  return layer(pass, x, tokens.segments, nullptr, nullptr, &past);
}

}  // namespace

Var Stack::operator()(Pass& pass, const Tokens& tokens, const Context* context,
                      KeyValueCache* cache) const {
  const bool remembers = pass.memory != nullptr && !tokens.lanes.empty();
  const Segments past = remembers ? pass.memory->segments(tokens) : Segments();
  Var x = embedding(pass, tokens);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (remembers) {
      x = run_with_memory(pass, layers[i], static_cast<Index>(i), tokens, past, x);
    } else if (cache != nullptr) {
      const CachedLayer cached{.layer = cache->layer(i), .keys = cache->keys()};
      x = layers[i](pass, x, tokens.segments, context, &cached);
    } else {
      x = layers[i](pass, x, tokens.segments, context);
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

void Stack::forget(KeyValueCache& cache, Index slot, Index keep, Index sinks) const {
  const Index forgotten = cache.length(slot) - sinks - keep;
  cache.forget(slot, keep, sinks);
  for (std::size_t i = 0; i < layers.size() && forgotten > 0; ++i) {
    const Tensor rows = cache.rows(i, slot);
    layers[i].self.turn_back(rows.part(sinks * rows.dim(1), {keep, rows.dim(1)}), forgotten);
  }
}

std::optional<Stack::SeenRows> Stack::seen_rows() const {
  SeenRows seen{.sinks = 0, .window = 0};
  for (const Layer& layer : layers) {
    const AttentionSpec& spec = layer.self.spec;
    const bool counts_in_cache =
        spec.has(AttentionPositions::rotary) || spec.has(AttentionPositions::none);
    if (!counts_in_cache || !std::ranges::all_of(layer.self.patterns, &Pattern::sinks)) {
      return {};
    }
    for (const Pattern& pattern : layer.self.patterns) {
      seen.sinks = std::max(seen.sinks, pattern.sinks());
      seen.window = std::max(seen.window, pattern.near().before);
    }
  }
  return embedding.positions == PositionKind::none && !layers.empty() ? std::optional(seen)
                                                                      : std::nullopt;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
