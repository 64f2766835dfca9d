// Gradient check subjects: the ops on heads.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "core/ops/heads/head_linear.hpp"
#include "core/ops/heads/head_rotation.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"
#include "tests/core/gradcheck/mutants/sequence_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline std::vector<OpSubject> head_subjects() {
  const std::vector<OpInput> rows{{"x", {5, 8}}};
  const auto linear = [](const Var& x, const Var& weight, const Var& bias) {
    return head_linear({x}, weight, 2, 3, bias);
  };
  const auto rotated = [](RotaryPairs pairs) {
    return of_vars<1>([pairs](const Var& x) {
      return rotate_heads({x}, rotations(5, 4), placed_segments(), 2, 4, pairs);
    });
  };
  const DroppedOp drop_some = [](const Vars& x, const Dropout& drop) {
    return drop_heads({x[0]}, placed_segments(), 4, 2, drop);
  };
  return {
      {"head_linear",
       {{"x", {3, 4}}, {"weight", {6, 2}, true}, {"bias", {6}, true}},
       of_vars<3>(linear)},
      {"normalize_heads", {{"x", {3, 8}}}, of_vars<1>([](const Var& x) {
         return normalize_heads({x}, 2, 4);
       })},
      {"rotate_heads", rows, rotated(RotaryPairs::halves)},
      {"rotate_heads, interleaved", rows, rotated(RotaryPairs::interleaved)},
      {"scale_heads",
       {{"x", {4, 6}}, {"factors", {3}, true}},
       of_vars<2>([](const Var& x, const Var& f) { return scale_heads({x}, f, 3, 2); })},
      {"sum_heads",
       {{"x", {4, 6}}, {"weights", {3}, true}},
       of_vars<2>([](const Var& x, const Var& w) { return sum_heads({x}, w, 3, 2); })},
      {"drop_heads", rows, with_dropout(drop_some)},
  };
}

inline const Draws gate_draws(5, "tests.gradcheck", 2);

// Keeps each log_alpha more than 0.05 away from the kinks, where its gate becomes 0 or 1.
inline void keep_from_ends(Tensors& inputs) {
  Tape tape(false);
  const auto open_at = [&](Scalar further) {
    Tensor moved = inputs[0].copy();
    std::ranges::for_each(moved.values(), [further](Scalar& x) { x += further; });
    return draw_gates(tape.constant(moved), gate_draws).value();
  };
  const Tensor less = open_at(-0.05);
  const Tensor more = open_at(0.05);
  for (Index i = 0; i < inputs[0].size(); ++i) {
    const auto between = [i](const Tensor& z) { return z.data()[i] > 0 && z.data()[i] < 1; };
    inputs[0].data()[i] += between(less) == between(more) ? 0 : 0.2;
  }
}

// Twelve gates, so that some lie between 0 and 1.
inline std::vector<OpSubject> gate_subjects() {
  const auto draw = [](const Var& log_alpha) { return draw_gates(log_alpha, gate_draws); };
  return {
      {"draw_gates", {{"log_alpha", {12}}}, of_vars<1>(draw), keep_from_ends},
      {"settled_gates", {{"log_alpha", {5}}}, of_vars<1>(settled_gates)},
      {"open_gates", {{"log_alpha", {5}}}, of_vars<1>(open_gates)},
  };
}

// Attention with more inputs: a bias by distance, and an additive score.
inline std::vector<OpSubject> further_attention_subjects() {
  const AttentionSetting setting = self_setting();
  const DistanceBuckets buckets = DistanceBuckets::clipped(1, 1);
  const auto biased = [setting, buckets](const Var& x, const Var& by_head, const Var& by_query,
                                         const Var& values) {
    return attention(
        {x}, {x}, {x}, setting.queries, setting.keys, setting.options,
        {.buckets = buckets, .by_head = by_head, .by_query = by_query, .values = values});
  };
  AttentionSetting scored = setting;
  scored.options.scores = {std::make_shared<const AdditiveScore>()};
  // With large scores tanh is flat, and rounding of the scores would hide all slopes.
  scored.options.scale = 0.01;
  const auto additive = [scored](const Var& q, const Var& k, const Var& v, const Var& weights) {
    return attention({q}, {k}, {v}, scored.queries, scored.keys, scored.options, {}, weights);
  };
  return {
      {"attention, by distance",
       {{"rows", {5, 6}, true},
        {"by_head", {2, 3}, true},
        {"by_query", {5, 6}},
        {"values", {3, 3}, true}},
       of_vars<4>(biased)},
      {"attention, additive",
       {{"query", {5, 6}},
        {"key", {5, 6}, true},
        {"value", {5, 6}, true},
        {"score_weights", {2, 3}, true}},
       of_vars<4>(additive)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
