#include "nn/attention/head_scores.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/ops/heads/head_rotation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The number of heads with different columns: 1 if all heads share their columns.
Index distinct(const HeadColumns& columns, Index heads) { return columns.step == 0 ? 1 : heads; }

HeadColumns like(const HeadColumns& before, const Var& matrix) {
  return {.matrix = matrix, .step = before.step == 0 ? before.step : std::nullopt};
}

// The kept heads with this score, numbered among the heads with this score.
HeadCopy::Heads kept_with(Score score, const AttentionSpec& spec, const KeptHeads& kept) {
  HeadCopy::Heads heads{.which = {}, .of = spec.heads_with(score)};
  for (const Index head : kept) {
    if (spec.score.at(head) == score) {
      heads.which.push_back(spec.heads_with(score, head));
    }
  }
  return heads;
}

// Row b holds the sinusoids of Vaswani et al. 2017, section 3.5, of the distance b - clip.
Tensor sines_of_distances(Index B, Index clip, Index D) {
  Tensor sines = Tensor::empty({B, D});
  for (Index b = 0; b < B; ++b) {
    for (Index c = 0; c < D; ++c) {
      const double frequency =
          std::pow(10000.0, -static_cast<double>(c - c % 2) / static_cast<double>(D));
      const double angle = static_cast<double>(b - clip) * frequency;
      sines.row(b)[c] = static_cast<Scalar>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return sines;
}

}  // namespace

HeadScores::HeadScores(const Scope& scope, const AttentionSpec& spec, Index max_positions)
    : spec_(spec), module_{.paths = {(scope / "score").path()}, .heads = spec.heads} {
  const Index d = spec.d_qk;
  if (const Index count = spec.heads_with(Score::bilinear); count > 0) {
    // With variance 1 / d_qk in M, q M k is about as large as q k.
    const double deviation = 1 / std::sqrt(static_cast<double>(d));
    bilinear_ = scope.create("score.weight", ParameterKind::other, {count * d, d},
                             spec.first_numbers(Initializer::normal(deviation), d), count);
  }
  if (const Index count = spec.heads_with(Score::additive); count > 0) {
    // With variance 1 in v, v tanh(q + k) is about as large as q k.
    additive_ = scope.create("score.vector", ParameterKind::other, {count, d},
                             spec.first_numbers(Initializer::normal(1), 1), count);
  }
  if (spec.scale == ScoreScale::learned) {
    scales_ = scope.create("score.scale", ParameterKind::gain, {spec.heads},
                           Initializer::constant(1 / std::sqrt(static_cast<double>(d))));
  }
  if (spec.positions == AttentionPositions::rotary) {
    rotations_ = rotations(max_positions, d, spec.rotary_base);
  }
}

bool HeadScores::alike() const { return spec_.heads_with(spec_.score.at(0)) == spec_.heads; }

PoolVector<std::shared_ptr<const PairScore>> HeadScores::functions() const {
  PoolVector<std::shared_ptr<const PairScore>> functions;
  if (additive_.declared()) {
    const auto additive = std::make_shared<const AdditiveScore>();
    for (Index head = 0; head < spec_.heads; ++head) {
      functions.push_back(spec_.score.at(head) == Score::additive ? additive : nullptr);
    }
  }
  return functions;
}

std::optional<Var> HeadScores::function_weights(Pass& pass) const {
  return additive_.declared() ? std::optional(pass.parameter(additive_)) : std::nullopt;
}

double HeadScores::scale() const {
  const Index width = spec_.scale == ScoreScale::inverse_sqrt_d_qk      ? spec_.d_qk
                      : spec_.scale == ScoreScale::inverse_sqrt_d_model ? spec_.d_model
                                                                        : 1;
  return 1 / std::sqrt(static_cast<double>(width));
}

void HeadScores::keep_heads(const KeptHeads& kept, HeadCopy& copy) const {
  copy.keep(bilinear_, kept_with(Score::bilinear, spec_, kept));
  copy.keep(additive_, kept_with(Score::additive, spec_, kept));
  copy.keep(scales_, {.which = kept, .of = spec_.heads});
}

HeadColumns HeadScores::query(Pass& pass, const HeadColumns& projected, const Segments& segments,
                              Index last) const {
  const InModule here(pass.tape(), module_);
  const HeadColumns by_score = each_by_its_score(pass, projected, true);
  pass.show(module_.path(), "query_by_score", by_score, spec_.heads, spec_.d_qk);
  HeadColumns all = rotated(by_score, segments, spec_.heads, last);
  pass.show(module_.path(), "query_rotated", all, spec_.heads, spec_.d_qk);
  if (scales_.declared()) {
    all = {.matrix = scale_heads(all, pass.parameter(scales_), spec_.heads, spec_.d_qk)};
  }
  pass.show(module_.path(), "query_scaled", all, spec_.heads, spec_.d_qk);
  return all;
}

HeadColumns HeadScores::key(Pass& pass, const HeadColumns& heads, const Segments& segments) const {
  const InModule here(pass.tape(), module_);
  const HeadColumns by_score = each_by_its_score(pass, heads, false);
  pass.show(module_.path(), "key_by_score", by_score, spec_.kv_heads, spec_.d_qk);
  const HeadColumns all = rotated(by_score, segments, spec_.kv_heads, Pattern::unlimited);
  pass.show(module_.path(), "key_rotated", all, spec_.kv_heads, spec_.d_qk);
  return all;
}

HeadColumns HeadScores::rotated(const HeadColumns& heads, const Segments& segments, Index count,
                                Index last) const {
  if (spec_.positions != AttentionPositions::rotary) {
    return heads;
  }
  return like(heads, rotate_heads(heads, rotations_, segments, distinct(heads, count), spec_.d_qk,
                                  spec_.rotary_pairs, last));
}

Var HeadScores::turned_back(const HeadColumns& keys, Index positions, Index heads) const {
  const Index d = spec_.d_qk;
  Tensor back = Tensor::empty({1, d});  // the cosines, and the sines of the negated angles
  std::copy_n(rotations_.row(positions), d, back.row(0));
  std::transform(back.row(0) + d / 2, back.row(0) + d, back.row(0) + d / 2, std::negate<>());
  Segments each;
  for (Index row = 0; row < keys.matrix.shape()[0]; ++row) {
    each.list.push_back({.row = row, .rows = 1});
  }
  return rotate_heads(keys, back, each, heads, d, spec_.rotary_pairs);
}

// q Mᵀ for the queries of bilinear heads, √d x / |x| for the queries and keys of cosine heads.
HeadColumns HeadScores::each_by_its_score(Pass& pass, const HeadColumns& heads, bool query) const {
  const Index d = spec_.d_qk;
  if (alike()) {
    const Index count = query ? spec_.heads : spec_.kv_heads;
    if (spec_.score.at(0) == Score::cosine) {
      return like(heads, normalize_heads(heads, distinct(heads, count), d));
    }
    return spec_.score.at(0) == Score::bilinear && query
               ? HeadColumns{.matrix = head_linear(heads, pass.parameter(bilinear_), count, d)}
               : heads;
  }
  PoolVector<Var> parts;
  for (Index head = 0; head < spec_.heads; ++head) {
    const Index first = heads.begin(head, d);
    const HeadColumns one{.matrix = heads.matrix, .first = first};
    if (spec_.score.at(head) == Score::cosine) {
      parts.push_back(normalize_heads(one, 1, d));
    } else if (spec_.score.at(head) == Score::bilinear && query) {
      const Var all = pass.parameter(bilinear_);
      const Index row = spec_.heads_with(Score::bilinear, head) * d;
      parts.push_back(head_linear(one, slice(all, 0, row, row + d), 1, d));
    } else {
      parts.push_back(slice(heads.matrix, 1, first, first + d));
    }
  }
  return {.matrix = concatenate(parts, 1)};
}

HeadDistances::HeadDistances(const Scope& scope, const ModelOptions& options,
                             const AttentionSpec& spec)
    : spec_(spec) {
  const bool back = spec.looks_back();
  if (spec.has_clip()) {
    buckets_ = DistanceBuckets::clipped(spec.clip, back ? 0 : spec.clip);
  }
  const Index B = spec.distance_buckets();
  const Index columns = spec.heads * spec.d_qk;
  switch (spec.positions) {
    case AttentionPositions::relative:
      values_ = scope.create("distance.value", ParameterKind::embedding, {B, spec.d_v},
                             weight_initializer(options, B, spec.d_v));
      [[fallthrough]];
    case AttentionPositions::relative_keys:
      keys_ = scope.create("distance.key", ParameterKind::embedding, {B, spec.d_qk},
                           weight_initializer(options, B, spec.d_qk));
      break;
    case AttentionPositions::t5:
      buckets_ = back ? DistanceBuckets::logarithmic_back(spec.buckets, spec.farthest)
                      : DistanceBuckets::logarithmic(spec.buckets, spec.farthest);
      keys_ = scope.create("distance.score", ParameterKind::bias, {spec.heads, B},
                           spec.first_numbers(standard_embedding_initializer(options), 1));
      break;
    case AttentionPositions::transformer_xl:
      sines_of_ = scope.create(
          "distance.weight", ParameterKind::matrix, {columns, spec.d_model},
          spec.first_numbers(weight_initializer(options, spec.d_model, columns), spec.d_qk),
          spec.heads);
      content_ = scope.create("distance.content", ParameterKind::bias, {columns},
                              Initializer::constant(0), spec.heads);
      place_ = scope.create("distance.place", ParameterKind::bias, {columns},
                            Initializer::constant(0), spec.heads);
      sines_ = sines_of_distances(B, spec.clip, spec.d_model);
      break;
    case AttentionPositions::alibi:
      slopes_ = alibi_slopes(spec.heads);
      break;
    default:
      break;
  }
}

AttentionBias HeadDistances::operator()(Pass& pass, const HeadColumns& query, double scale) const {
  AttentionBias bias{.buckets = buckets_, .slopes = slopes_};
  if (spec_.has(AttentionPositions::t5)) {
    bias.by_head = pass.parameter(keys_);
  }
  if (spec_.has_clip()) {
    bias.by_query = distance_products(pass, query, scale);
  }
  if (values_.declared()) {
    bias.values = pass.parameter(values_);
  }
  return bias;
}

// scale q_h r_b (Shaw et al. 2018, equation 4), or scale (q_h + v_h) W_h R_b (Dai et al. 2019,
// section 3.3, terms b and d): (N, H B).
Var HeadDistances::distance_products(Pass& pass, const HeadColumns& query, double factor) const {
  const Index B = spec_.distance_buckets();
  const Var products =
      place_.declared() ? head_linear({plus(pass, query, place_)}, sine_maps(pass), spec_.heads, B)
                        : head_linear(query, pass.parameter(keys_), spec_.heads, B);
  return scale(products, static_cast<Scalar>(factor));
}

Var HeadDistances::sine_maps(Pass& pass) const {
  const Var all = linear(pass.tape().constant(sines_), pass.parameter(sines_of_));
  PoolVector<Var> heads;
  for (Index head = 0; head < spec_.heads; ++head) {
    heads.push_back(slice(all, 1, head * spec_.d_qk, (head + 1) * spec_.d_qk));
  }
  return concatenate(heads, 0);
}

// The heads side by side, with each head's part of the row added.
Var HeadDistances::plus(Pass& pass, const HeadColumns& query, const Parameter& row) const {
  PoolVector<Var> heads;
  for (Index head = 0; head < spec_.heads; ++head) {
    const Index first = query.begin(head, spec_.d_qk);
    heads.push_back(slice(query.matrix, 1, first, first + spec_.d_qk));
  }
  return add(concatenate(heads, 1), pass.parameter(row));
}

HeadColumns HeadDistances::with_content_bias(Pass& pass, const HeadColumns& query) const {
  return content_.declared() ? HeadColumns{.matrix = plus(pass, query, content_)} : query;
}

void HeadDistances::keep_heads(const KeptHeads& kept, HeadCopy& copy) const {
  const Parameter by_head = spec_.has(AttentionPositions::t5) ? keys_ : Parameter();
  for (const Parameter& parameter : {by_head, sines_of_, content_, place_}) {
    copy.keep(parameter, {.which = kept, .of = spec_.heads});
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
