#include "nn/transformer/layer.hpp"

#include "core/ops/activation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

FeedForward::FeedForward(const Scope& scope, const ModelOptions& options, StackName stack)
    : gated(options.feed_forward == FeedForwardKind::gated),
      activation(options.activation),
      dropout(options.dropout_feed_forward.value_or(options.dropout)),
      path(scope.path()) {
  using Names = std::vector<std::string>;
  const Index D = options.d_model;
  const Index F = options.feed_forward_width();
  const auto bias = [&](const Names& names, Index size) {
    return options.bias_feed_forward
               ? scope.create_stacked(names, ParameterKind::bias, {size}, Initializer::constant(0))
               : Parameter();
  };
  inner_weight =
      scope.create_stacked(gated ? Names{"inner.weight", "gate.weight"} : Names{"inner.weight"},
                           ParameterKind::matrix, {F, D}, weight_initializer(options, D, F));
  inner_bias = bias(gated ? Names{"inner.bias", "gate.bias"} : Names{"inner.bias"}, F);
  outer_weight = scope.create("outer.weight", ParameterKind::matrix, {D, F},
                              last_map_initializer(options, F, D, stack));
  outer_bias = bias({"outer.bias"}, D);
}

// plain:  f(x) = dropout(activation(x W₁ᵀ + b₁)) W₂ᵀ + b₂
// gated:  f(x) = dropout((x W₁ᵀ + b₁) ∘ activation(x Vᵀ + c)) W₂ᵀ + b₂
BlockOutput FeedForward::operator()(Pass& pass, const Var& x, const Segments& segments) const {
  const Var bias = pass.bias(inner_bias, inner_weight.shape[0]);
  const Dropout dropped = pass.dropout(dropout, path, segments);
  const Var hidden = gated
                         ? gated_activation(pass.linear(x, inner_weight), bias, activation, dropped)
                         : bias_activation(pass.linear(x, inner_weight), bias, activation, dropped);
  return {pass.linear(hidden, outer_weight), pass.bias(outer_bias, outer_weight.shape[0])};
}

Layer::Layer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention,
             StackName stack, Index number)
    : path(scope.path()),
      self(attention.make(scope / "self",
                          {.kind = stack == StackName::encoder ? AttentionKind::encoder_self
                                                               : AttentionKind::decoder_self,
                           .layer = number})),
      self_residual(scope / "self", options) {
  if (stack == stack_of(AttentionKind::cross) && options.traits().has(AttentionKind::cross)) {
    const AttentionSite site{.kind = AttentionKind::cross, .layer = number};
    cross = Cross{attention.make(scope / "cross", site), Residual(scope / "cross", options)};
  }
  if (options.feed_forward != FeedForwardKind::none) {
    const Scope place = scope / "feed_forward";
    feed_forward = Positionwise{FeedForward(place, options, stack), Residual(place, options)};
  }
}

Layer Layer::repeated(const Scope& scope, const ModelOptions& options, Index number) const {
  const auto move_here = [&](MultiHeadAttention& shared, Residual& around, std::string_view name) {
    const AttentionSite site{.kind = shared.site.kind, .layer = number};
    const AttentionSpec spec = attention_spec(options, site.kind, number);
    shared = MultiHeadAttention(scope / name, spec, site, shared.weights);
    around.path = Residual::path_in(scope / name);
  };
  Layer layer = *this;
  move_here(layer.self, layer.self_residual, "self");
  if (cross) {
    move_here(layer.cross->attention, layer.cross->residual, "cross");
  }
  if (feed_forward) {
    layer.feed_forward->block.path = (scope / "feed_forward").path();
    layer.feed_forward->residual.path = Residual::path_in(scope / "feed_forward");
  }
  return layer;
}

Var Layer::operator()(Pass& pass, const Var& x, const Segments& segments, const KeySource& own,
                      const std::optional<KeySource>& context) const {
  Var y = self_residual(pass, x, segments, [&](const Var& normed) {
    KeySource keys = own;
    if (keys.before) {
      keys.before->rows = self_residual.block_input(pass, keys.before->rows);
    }
    return self(pass, normed, segments, keys);
  });
  if (cross) {
    y = cross->residual(pass, y, segments, [&](const Var& normed) {
      return cross->attention(pass, normed, segments, context.value());
    });
  }
  if (feed_forward) {
    y = feed_forward->residual(pass, y, segments, [&](const Var& normed) {
      return feed_forward->block(pass, normed, segments);
    });
  }
  return y;
}

Var Stack::operator()(Pass& pass, const Tokens& tokens, const SequenceRows* context,
                      KeyValueCache* cache) const {
  LaneMemory* const memory = tokens.lanes.empty() ? nullptr : pass.memory;
  const Segments past = memory != nullptr ? memory->segments(tokens) : Segments();
  const bool goes_on = row_count(past) > 0;
  const Segments with_past = goes_on ? joined(past, tokens.segments) : Segments();
  const auto own_keys = [&](Index layer, LayerCache* kept) -> KeySource {
    if (goes_on) {
      const Var rows = pass.tape().constant(memory->read(layer, tokens, past));
      return {.segments = with_past, .before = {{.rows = rows, .segments = past}}};
    }
    return {.segments = kept != nullptr ? cache->keys() : tokens.segments, .cache = kept};
  };
  const auto context_keys = [&](LayerCache* kept) {
    return KeySource{.segments = context->segments, .rows = context->rows, .cache = kept};
  };
  Var x = embedding(pass, tokens);
  for (Index i = 0; i < std::ssize(layers); ++i) {
    const auto layer = static_cast<std::size_t>(i);
    LayerCache* const kept = cache != nullptr ? &cache->layer(layer) : nullptr;
    if (memory != nullptr) {
      memory->write(i, tokens, past, x.value());
    }
    x = layers[layer](pass, x, tokens.segments, own_keys(i, kept),
                      context != nullptr ? std::optional(context_keys(kept)) : std::nullopt);
  }
  return closing_norm ? (*closing_norm)(pass, x) : x;
}

KeyValueCache Stack::make_cache(Index sequences, Index longest) const {
  const auto columns = [](const Layer& layer) { return layer.self.cache_columns(); };
  return {mapped(layers, columns), sequences, longest};
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
