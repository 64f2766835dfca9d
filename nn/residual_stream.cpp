#include "nn/residual_stream.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/ops/embedding.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The type of each token. Throws ShapeError for a type outside the table.
PoolVector<TokenId> types_in(const Tokens& tokens, Index table_rows, std::string_view path) {
  if (tokens.types.empty()) {
    return PoolVector<TokenId>(tokens.ids.size(), 0);
  }
  const auto outside = std::ranges::find_if(
      tokens.types, [&](TokenId type) { return type < 0 || type >= table_rows; });
  if (outside != tokens.types.end()) {
    throw ShapeError(
        "{}.types: token {} has the type {}, which is outside the table's 0 ... {} (raise "
        "model.token_types)",
        path, outside - tokens.types.begin(), *outside, table_rows - 1);
  }
  return tokens.types;
}

}  // namespace

Norm::Norm(const Scope& scope, const ModelOptions& options, Index width)
    : kind(options.norm), epsilon(static_cast<Scalar>(options.norm_epsilon)), path(scope.path()) {
  if (kind != NormKind::none) {
    gain = scope.create("gain", ParameterKind::gain, {width}, Initializer::constant(1));
  }
  if (kind == NormKind::layer_norm && options.bias_norm) {
    bias = scope.create("bias", ParameterKind::bias, {width}, Initializer::constant(0));
  }
}

Var Norm::operator()(Pass& pass, const Var& x) const {
  if (kind == NormKind::none) {
    return x;
  }
  if (kind == NormKind::layer_norm) {
    return layer_norm(x, pass.parameter(gain), pass.bias(bias, gain.shape[0]), epsilon);
  }
  return rms_norm(x, pass.parameter(gain), epsilon);
}

Residual::Residual(const Scope& scope, const ModelOptions& options)
    : position(options.norm_position),
      dropout(options.dropout_residual.value_or(options.dropout)),
      path(path_in(scope)),
      norm(scope / "norm", options) {}

TokenEmbedding::TokenEmbedding(const Scope& scope, const ModelOptions& options,
                               Parameter shared_table, const Tensor& sines)
    : table(shared_table),
      scale(options.embedding_scale == EmbeddingScale::none
                ? Scalar{1}
                : static_cast<Scalar>(std::sqrt(static_cast<double>(options.d_model)))),
      positions(options.positions),
      position_scale(
          options.position_scale == PositionScale::none
              ? Scalar{1}
              : static_cast<Scalar>(1 / std::sqrt(static_cast<double>(options.d_model)))),
      sinusoidal(sines),
      dropout(options.dropout_embedding.value_or(options.dropout)),
      module{.paths = {scope.path()}} {
  const Index D = options.d_model;
  const Index E = options.embedding_width();
  if (positions == PositionKind::learned) {
    learned = scope.create("positions", ParameterKind::embedding, {options.max_positions, E},
                           embedding_initializer(options, options.max_positions));
  }
  if (options.token_types > 0) {
    types = scope.create("types", ParameterKind::embedding, {options.token_types, E},
                         embedding_initializer(options, options.token_types));
  }
  if (options.embedding_norm) {
    norm.emplace(scope / "norm", options, E);
  }
  if (options.factored_embedding()) {
    map_weight = scope.create("map.weight", ParameterKind::matrix, {D, E},
                              weight_initializer(options, E, D));
    map_bias = scope.create("map.bias", ParameterKind::bias, {D}, Initializer::constant(0));
  }
}

Var TokenEmbedding::operator()(Pass& pass, const Tokens& tokens) const {
  const InModule here(pass.tape(), module);
  Var x = lookup(pass.parameter(table), tokens.ids, scale);
  if (positions != PositionKind::none) {
    const bool fixed = positions == PositionKind::sinusoidal;
    x = add_positions(x, fixed ? pass.tape().constant(sinusoidal) : pass.parameter(learned),
                      tokens.segments, position_scale);
  }
  if (types.declared()) {
    x = add(x, lookup(pass.parameter(types), types_in(tokens, types.shape[0], module.path())));
  }
  if (norm) {
    x = (*norm)(pass, x);
  }
  x = tapehead::dropout(x, pass.dropout(dropout, module.path(), tokens.segments));
  return map_weight.declared() ? pass.linear(x, map_weight, map_bias) : x;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
