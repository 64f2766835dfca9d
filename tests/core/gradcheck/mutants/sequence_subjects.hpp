// Gradient check subjects: the ops on tokens and sequences.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Scalar lookup_scale = 1.5;
inline const std::vector<TokenId> lookup_ids{4, 1, 4, 0, 3};  // of six: one twice, two never

constexpr Scalar label_smoothing = 0.1;
inline const std::vector<TokenId> loss_targets{3, 0, 3, 1};

// Five rows in three segments: positions 2 and 3; no rows; positions 0, 1 and 2.
inline Segments placed_segments() {
  return {.list = {{0, 2, 2}, {2, 0, 0}, {2, 3, 0}}, .first_row = 0};
}

inline std::vector<OpSubject> token_subjects() {
  const auto embed = [](const Var& table) { return lookup(table, lookup_ids, lookup_scale); };
  const auto place = [](const Var& x, const Var& table) {
    return add_positions(x, table, placed_segments());
  };
  const auto loss = [](Scalar smoothing) {
    return of_vars<1>(
        [smoothing](const Var& x) { return cross_entropy(x, loss_targets, smoothing).loss; });
  };
  return {
      {"lookup", {{"table", {6, 4}}}, of_vars<1>(embed)},
      {"add_positions", {{"x", {5, 3}}, {"table", {6, 3}}}, of_vars<2>(place)},
      {"cross_entropy", {{"logits", {4, 5}}}, loss(0)},
      {"cross_entropy, smoothed", {{"logits", {4, 5}}}, loss(label_smoothing)},
  };
}

constexpr double attention_dropout = 0.3;

// The arguments of attention without dropout.
struct AttentionSetting {
  Segments queries;
  Segments keys;
  AttentionOptions options;
};

inline Var attend(const Vars& x, const AttentionSetting& setting) {
  return attention({x[0]}, {x[1]}, {x[2]}, setting.queries, setting.keys, setting.options);
}

// Sequences with one, zero and three queries.
inline AttentionSetting full_setting() {
  return {.queries = segments_of({1, 0, 3}),
          .keys = segments_of({2, 1, 3}),
          .options = {.heads = 2, .d_key = 3, .d_value = 4}};
}

// Queries start at the second position of their sequence; the last query sees all keys.
inline AttentionSetting causal_setting() {
  return {.queries = {.list = {{0, 1, 1}, {1, 0, 0}, {1, 2, 1}}, .first_row = 0},
          .keys = segments_of({2, 1, 3}),
          .options = {.heads = 2, .d_key = 3, .d_value = 4, .patterns = {Pattern::causal()}}};
}

inline AttentionSetting window_setting() {
  return {.queries = segments_of({1, 0, 4}),
          .keys = segments_of({2, 1, 4}),
          .options = {.heads = 2,
                      .d_key = 3,
                      .d_value = 4,
                      .patterns = {Pattern::window(1, 0), Pattern::window(0, 2)}}};
}

// Queries, keys and values of the same shape.
inline AttentionSetting self_setting() {
  return {.queries = segments_of({2, 0, 3}),
          .keys = segments_of({2, 0, 3}),
          .options = {.heads = 2, .d_key = 3, .d_value = 3}};
}

inline OpSubject attention_subject(const std::string& name, const AttentionSetting& setting,
                                   double dropout) {
  const AttentionOptions& o = setting.options;
  const Index N = row_count(setting.queries);
  const Index S = row_count(setting.keys);
  const DroppedOp dropped = [setting](const Vars& x, const Dropout& drop) {
    AttentionSetting with_drop = setting;
    with_drop.options.dropout = drop;
    return attend(x, with_drop);
  };
  return {name,
          {{"query", {N, o.heads * o.d_key}},
           {"key", {S, o.heads * o.d_key}, true},
           {"value", {S, o.heads * o.d_value}, true}},
          with_dropout(dropped, dropout)};
}

inline std::vector<OpSubject> attention_subjects() {
  return {attention_subject("attention", full_setting(), 0),
          attention_subject("attention, causal", causal_setting(), 0),
          attention_subject("attention, windows", window_setting(), 0),
          attention_subject("attention, to itself", self_setting(), 0),
          attention_subject("attention, dropout", full_setting(), attention_dropout)};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
