#include "nn/transformer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.hpp"
#include "core/ops/embedding.hpp"
#include "nn/init.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

EncoderLayer::EncoderLayer(const Scope& scope, const ModelOptions& options,
                           AttentionMaker& attention, Index number)
    : self(attention.make(scope / "self", AttentionKind::encoder_self, number)),
      self_residual(scope / "self", options),
      feed_forward(scope / "feed_forward", options),
      feed_forward_residual(scope / "feed_forward", options) {}

Var EncoderLayer::operator()(Pass& pass, const Var& x, const Segments& segments) const {
  const Var attended = self_residual(pass, x, segments, [&](const Var& normed) {
    return self(pass, normed, normed, normed, segments, segments);
  });
  return feed_forward_residual(pass, attended, segments, [&](const Var& normed) {
    return feed_forward(pass, normed, segments);
  });
}

DecoderLayer::DecoderLayer(const Scope& scope, const ModelOptions& options,
                           AttentionMaker& attention, Index number)
    : self(attention.make(scope / "self", AttentionKind::decoder_self, number)),
      self_residual(scope / "self", options),
      cross(attention.make(scope / "cross", AttentionKind::cross, number)),
      cross_residual(scope / "cross", options),
      feed_forward(scope / "feed_forward", options),
      feed_forward_residual(scope / "feed_forward", options) {}

Var DecoderLayer::operator()(Pass& pass, const Var& x, const Segments& targets, const Var& memory,
                             const Segments& sources, LayerCache* cache,
                             const Segments& slots) const {
  const Var attended = self_residual(pass, x, targets, [&](const Var& normed) {
    return cache == nullptr ? self(pass, normed, normed, normed, targets, targets)
                            : self.cached_self(pass, normed, targets, cache->self, slots);
  });
  const Var crossed = cross_residual(pass, attended, targets, [&](const Var& normed) {
    return cache == nullptr
               ? cross(pass, normed, memory, memory, targets, sources)
               : cross.cached_cross(pass, normed, memory, targets, sources, cache->cross);
  });
  return feed_forward_residual(pass, crossed, targets, [&](const Var& normed) {
    return feed_forward(pass, normed, targets);
  });
}

Embedding::Embedding(const Scope& scope, const ModelOptions& options, Parameter shared_table,
                     const Tensor& sines)
    : table(shared_table),
      positions(options.positions),
      sinusoidal(sines),
      dropout(options.dropout_embedding.value_or(options.dropout)),
      module{.paths = {scope.path()}} {
  if (positions == PositionKind::learned) {
    learned = scope.create("positions", {options.max_positions, options.d_model},
                           embedding_initializer(options));
  }
}

Var Embedding::operator()(Pass& pass, std::span<const TokenId> ids,
                          const Segments& segments) const {
  const InModule here(pass.tape(), module);
  const auto scale = static_cast<Scalar>(std::sqrt(static_cast<double>(table.shape[1])));
  Var x = lookup(pass.parameter(table), ids, scale);
  if (positions != PositionKind::none) {
    const bool fixed = positions == PositionKind::sinusoidal;
    x = add_positions(x, fixed ? pass.tape().constant(sinusoidal) : pass.parameter(learned),
                      segments);
  }
  return tapehead::dropout(x, pass.dropout(dropout, module.path(), segments));
}

Transformer::Transformer(const Scope& scope, const ModelOptions& options, Index source_vocabulary,
                         Index target_vocabulary)
    : options_(options) {
  const Index D = options.d_model;
  if (ties_source(options.tie_embeddings) && source_vocabulary < target_vocabulary) {
    throw ConfigError(fmt::format(
        "model.tie_embeddings: {} needs one vocabulary for source and target, but they have "
        "{} and {} entries (task.joint_vocabulary: true makes one)",
        EnumNames<Tying>::names[static_cast<std::size_t>(options.tie_embeddings)],
        source_vocabulary, target_vocabulary));
  }
  const Tensor sines = options.positions == PositionKind::sinusoidal
                           ? sinusoidal_positions(options.max_positions, D)
                           : Tensor();
  const Initializer normal = embedding_initializer(options);
  const bool one_table = ties_source(options.tie_embeddings);
  const Parameter target =
      (scope / "target")
          .create("embedding", {one_table ? source_vocabulary : target_vocabulary, D}, normal);
  const Parameter source =
      one_table ? target : (scope / "source").create("embedding", {source_vocabulary, D}, normal);
  output_ = ties_output(options.tie_embeddings)
                ? target.first_rows(target_vocabulary)
                : scope.create("output.weight", {target_vocabulary, D},
                               weight_initializer(options, D, target_vocabulary));
  source_.emplace(scope / "source", options, source, sines);
  target_.emplace(scope / "target", options, target, sines);
  AttentionMaker attention(scope, options);
  for (Index i = 0; i < options.encoder_layers.value_or(options.layers); ++i) {
    encoder_.emplace_back(scope / "encoder" / "layers" / std::to_string(i), options, attention, i);
  }
  for (Index i = 0; i < options.decoder_layers.value_or(options.layers); ++i) {
    decoder_.emplace_back(scope / "decoder" / "layers" / std::to_string(i), options, attention, i);
  }
  if (options.norm_position == NormPosition::pre) {
    encoder_norm_.emplace(scope / "encoder" / "norm", options.norm, D);
    decoder_norm_.emplace(scope / "decoder" / "norm", options.norm, D);
  }
}

Var Transformer::encode(Pass& pass, std::span<const TokenId> source,
                        const Segments& segments) const {
  Var x = (*source_)(pass, source, segments);
  for (const EncoderLayer& layer : encoder_) {
    x = layer(pass, x, segments);
  }
  return encoder_norm_ ? (*encoder_norm_)(pass, x) : x;
}

Var Transformer::decode(Pass& pass, std::span<const TokenId> target, const Segments& targets,
                        const Var& memory, const Segments& sources, DecoderCache* cache) const {
  Var x = (*target_)(pass, target, targets);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    x = decoder_[i](pass, x, targets, memory, sources,
                    cache == nullptr ? nullptr : &cache->layers[i],
                    cache == nullptr ? targets : cache->slots);
  }
  return decoder_norm_ ? (*decoder_norm_)(pass, x) : x;
}

Var Transformer::logits(Pass& pass, const Var& hidden) const {
  return pass.linear(hidden, output_);
}

BestTokens Transformer::next_tokens(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                                    LogSums log_sums) const {
  const Tensor table = pass.parameter(output_).value().part(0, output_.shape);
  return best_tokens(hidden.value(), table, count, excluded, log_sums);
}

std::vector<const MultiHeadAttention*> Transformer::attentions() const {
  std::vector<const MultiHeadAttention*> all;
  for (const EncoderLayer& layer : encoder_) {
    all.push_back(&layer.self);
  }
  for (const DecoderLayer& layer : decoder_) {
    all.push_back(&layer.self);
    all.push_back(&layer.cross);
  }
  return all;
}

std::vector<VocabularyTable> Transformer::vocabulary_tables() const {
  std::vector<VocabularyTable> tables{{.table = source_->table, .side = Side::source}};
  if (target_->table.block != source_->table.block) {
    tables.push_back({.table = target_->table, .side = Side::target});
  }
  if (output_.block != target_->table.block) {
    tables.push_back({.table = output_, .side = Side::target});
  }
  return tables;
}

DecoderCache Transformer::make_cache(Index slots, Index capacity) const {
  DecoderCache cache;
  for (const DecoderLayer& layer : decoder_) {
    cache.layers.push_back(
        {.self = {Tensor::empty({slots * capacity, layer.self.cache_columns()})}, .cross = {}});
  }
  return cache;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
