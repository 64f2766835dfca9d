#include "nn/transformer/layer.hpp"

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
