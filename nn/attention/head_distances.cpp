#include "nn/attention/head_distances.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/ops/linear.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

DistanceBuckets buckets_of(const AttentionSpec& spec) {
  const bool back = spec.looks_back();
  if (spec.has_clip()) {
    return DistanceBuckets::clipped(spec.clip, back ? 0 : spec.clip);
  }
  if (spec.has(AttentionPositions::t5)) {
    return back ? DistanceBuckets::logarithmic_back(spec.buckets, spec.farthest)
                : DistanceBuckets::logarithmic(spec.buckets, spec.farthest);
  }
  return {};
}

// Row b: the sinusoids of Vaswani et al. 2017, section 3.5, at the distance b - clip.
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

HeadDistances::HeadDistances(const Scope& scope, const ModelOptions& options,
                             const AttentionSpec& spec)
    : spec_(spec), buckets_(buckets_of(spec)) {
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

// Each head's W_h R_b, one head below the other: (H B, d_qk).
Var HeadDistances::sine_maps(Pass& pass) const {
  const Var all = linear(pass.tape().constant(sines_), pass.parameter(sines_of_));
  PoolVector<Var> heads;
  for (Index head = 0; head < spec_.heads; ++head) {
    heads.push_back(slice(all, 1, head * spec_.d_qk, (head + 1) * spec_.d_qk));
  }
  return concatenate(heads, 0);
}

// The heads side by side, where each head has its part of a row added.
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

void HeadDistances::keep_heads(const KeptHeads& kept, const HeadDistances& smaller,
                               HeadCopy& copy) const {
  const auto of_heads = [&](const Parameter& from, const Parameter& to) {
    if (to.declared()) {
      copy.chunks(from, to, {.which = kept.heads, .size = from.shape.size() / spec_.heads});
    }
  };
  spec_.has(AttentionPositions::t5) ? of_heads(keys_, smaller.keys_)
                                    : copy.whole(keys_, smaller.keys_);
  copy.whole(values_, smaller.values_);
  of_heads(sines_of_, smaller.sines_of_);
  of_heads(content_, smaller.content_);
  of_heads(place_, smaller.place_);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
