#include "nn/transformer/layer.hpp"

#include <algorithm>

#include "nn/lane_memory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

AttentionSite self_site(StackName stack, Index layer) {
  return {.kind = stack == StackName::encoder ? AttentionKind::encoder_self
                                              : AttentionKind::decoder_self,
          .layer = layer};
}

std::optional<Layer::Cross> cross_of(const Scope& scope, const ModelOptions& options,
                                     AttentionMaker& attention, Index number, Layer::Reads reads) {
  if (reads == Layer::Reads::itself) {
    return {};
  }
  return Layer::Cross{
      .attention = attention.make(scope / "cross", {.kind = AttentionKind::cross, .layer = number}),
      .residual = Residual(scope / "cross", options)};
}

std::optional<Layer::Positionwise> feed_forward_of(const Scope& scope, const ModelOptions& options,
                                                   StackName stack) {
  if (options.feed_forward == FeedForwardKind::none) {
    return {};
  }
  return Layer::Positionwise{.block = FeedForward(scope / "feed_forward", options, stack),
                             .residual = Residual(scope / "feed_forward", options)};
}

}  // namespace

Layer::Layer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention,
             StackName stack, Index number, Reads reads)
    : path(scope.path()),
      self(attention.make(scope / "self", self_site(stack, number))),
      self_residual(scope / "self", options),
      cross(cross_of(scope, options, attention, number, reads)),
      feed_forward(feed_forward_of(scope, options, stack)) {}

Layer Layer::repeated(const Scope& scope, AttentionMaker& attention, Index number) const {
  const auto as_here = [&](const MultiHeadAttention& shared, std::string_view name) {
    const AttentionSite site{.kind = shared.site.kind, .layer = number};
    return attention.make_sharing(scope / name, site, shared);
  };
  Layer layer = *this;
  layer.self = as_here(self, "self");
  layer.self_residual.path = Residual::path_in(scope / "self");
  if (cross) {
    layer.cross->attention = as_here(cross->attention, "cross");
    layer.cross->residual.path = Residual::path_in(scope / "cross");
  }
  if (feed_forward) {
    layer.feed_forward->block.path = (scope / "feed_forward").path();
    layer.feed_forward->residual.path = Residual::path_in(scope / "feed_forward");
  }
  return layer;
}

Var Layer::operator()(Pass& pass, const Var& x, const Segments& segments, const Context* context,
                      const CachedLayer* cached, const Past* past) const {
  Var y = self_residual(pass, x, segments, [&](const Var& normed) {
    if (past != nullptr) {
      return self.self_with_past(pass, self_residual.block_input(pass, past->rows), past->segments,
                                 normed, segments);
    }
    return cached == nullptr
               ? self(pass, normed, normed, normed, segments, segments)
               : self.cached_self(pass, normed, segments, cached->layer.rows, cached->keys);
  });
  if (cross) {
    y = cross->residual(pass, y, segments, [&](const Var& normed) {
      const Var& rows = context->rows;
      return cached == nullptr
                 ? cross->attention(pass, normed, rows, rows, segments, context->segments)
                 : cross->attention.cached_cross(pass, normed, rows, segments, context->segments,
                                                 cached->layer.context);
    });
  }
  if (feed_forward) {
    y = feed_forward->residual(pass, y, segments, [&](const Var& normed) {
      return feed_forward->block(pass, normed, segments);
    });
  }
  return y;
}

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
