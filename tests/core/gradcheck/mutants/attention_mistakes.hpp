// Mistakes in the backward pass of attention.
#pragma once

#include "core/ops/concatenate.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/sequence_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline Spoil attended_as(const AttentionSetting& setting) {
  return as_of([setting](const Vars& x) { return attend(x, setting); });
}

inline AttentionSetting with_patterns(AttentionSetting setting, PoolVector<Pattern> patterns) {
  setting.options.patterns = std::move(patterns);
  return setting;
}

// Full attention from plain ops; `weights_of` replaces the softmax.
inline Var attention_with(const std::function<Var(const Var& scores)>& weights_of, const Vars& x,
                          const AttentionSetting& setting) {
  const AttentionOptions& o = setting.options;
  const auto part = [](const Var& matrix, const Segment& segment, Index head, Index width) {
    return slice(slice(matrix, 0, segment.row, segment.row + segment.rows), 1, head * width,
                 (head + 1) * width);
  };
  const Scalar over_root = 1 / std::sqrt(static_cast<Scalar>(o.d_key));
  Vars rows;
  for (Index s = 0; s < setting.queries.count(); ++s) {
    Vars heads;
    for (Index head = 0; head < o.heads; ++head) {
      const Var q = part(x[0], setting.queries[s], head, o.d_key);
      const Var k = part(x[1], setting.keys[s], head, o.d_key);
      const Var v = part(x[2], setting.keys[s], head, o.d_value);
      heads.push_back(matmul(weights_of(scale(matmul(q, transpose(k)), over_root)), v));
    }
    rows.push_back(concatenate(heads, 1));
  }
  return concatenate(rows, 0);
}

inline Spoil weighted_by(const std::function<Var(const Var& scores)>& weights_of) {
  return as_of(
      [weights_of](const Vars& x) { return attention_with(weights_of, x, full_setting()); });
}

// Sets the second head's columns of the gradients to zero (of two heads).
inline void forget_second_head(BackwardPass& pass) {
  for (Tensor& gradient : pass.gradients) {
    for (Index i = 0; i < gradient.dim(0); ++i) {
      std::fill_n(gradient.row(i) + gradient.dim(1) / 2, gradient.dim(1) / 2, Scalar{0});
    }
  }
}

inline void exchange_heads(BackwardPass& pass) {
  for (Tensor& gradient : pass.gradients) {
    for (Index i = 0; i < gradient.dim(0); ++i) {
      Scalar* row = gradient.row(i);
      std::swap_ranges(row, row + gradient.dim(1) / 2, row + gradient.dim(1) / 2);
    }
  }
}

// Keeps only the cotangent of the first sequence, which has one query.
inline void keep_first_row(BackwardPass& pass) {
  std::ranges::fill(pass.dy.values().subspan(static_cast<std::size_t>(pass.dy.dim(1))), Scalar{0});
  pass.gradients = gradients_of(pass.function, pass.inputs, pass.dy);
}

inline std::vector<Mistake> weight_mistakes() {
  using enum WrongKind;
  const AttentionSetting full = full_setting();
  const auto root = std::sqrt(static_cast<Scalar>(full.options.d_key));
  const auto fraction = 1 / std::sqrt(static_cast<Scalar>(full.options.heads));
  return {
      {"attention", {0, 1}, "1 / √d_key left out", {factor}, as_of([full, root](const Vars& x) {
         return attend({gradient_times(x[0], root), gradient_times(x[1], root), x[2]}, full);
       })},
      {"attention",
       {0, 1, 2},
       "√(heads d_key) for √d_key",
       {term},
       as_of([full, fraction](const Vars& x) {
         return attend({scale(x[0], fraction), x[1], x[2]}, full);
       })},
      {"attention", {0, 1}, "the softmax's Σ y dy left out", {term}, weighted_by([](const Var& s) {
         return exp(add(s, detached(subtract(log_softmax(s), s))));
       })},
      {"attention", {2}, "weights that do not add to one", {term}, weighted_by([](const Var& s) {
         return exp(s);
       })},
  };
}

inline std::vector<Mistake> layout_mistakes() {
  using enum WrongKind;
  AttentionSetting other_keys = full_setting();
  std::ranges::rotate(other_keys.keys.list, other_keys.keys.list.begin() + 1);
  const auto exchange = [](std::size_t i, std::size_t j) {
    return [i, j](BackwardPass& pass) { std::swap(pass.gradients[i], pass.gradients[j]); };
  };
  const char* const one_shape = "attention, to itself";
  return {
      {"attention", {0, 1, 2}, "the second head left out", {some_columns}, forget_second_head},
      {"attention", {0, 1, 2}, "the heads exchanged", {term}, exchange_heads},
      {"attention", {0, 1, 2}, "the empty sequence ends the loop", {some_rows}, keep_first_row},
      {"attention", {0, 1, 2}, "the next sequence's keys", {term}, attended_as(other_keys)},
      {one_shape, {1, 2}, "key's and value's exchanged", {term}, exchange(1, 2)},
      {one_shape, {0, 1}, "query's and key's exchanged", {term}, exchange(0, 1)},
  };
}

// Queries that see the same keys under both patterns have correct gradients.
inline std::vector<Mistake> pattern_mistakes() {
  using enum WrongKind;
  const AttentionSetting causal = causal_setting();
  const AttentionSetting windows = window_setting();
  AttentionSetting early = causal;
  for (Segment& segment : early.queries.list) {
    segment.position = 0;
  }
  return {
      {"attention, causal",
       {0, 1, 2},
       "the pattern left out",
       {some_rows},
       attended_as(with_patterns(causal, {Pattern::full()}))},
      {"attention, causal", {0, 1, 2}, "queries from position 0", {term}, attended_as(early)},
      {"attention, windows",
       {0, 1, 2},
       "the pattern left out",
       {term},
       attended_as(with_patterns(windows, {Pattern::full()}))},
      {"attention, windows",
       {0, 1, 2},
       "a window too wide by one",
       {some_rows},
       attended_as(with_patterns(windows, {Pattern::window(2, 0), Pattern::window(0, 3)}))},
      {"attention, windows",
       {0, 1, 2},
       "the first head's pattern for both",
       {some_columns},
       attended_as(with_patterns(windows, {Pattern::window(1, 0)}))},
  };
}

inline std::vector<Mistake> attention_dropout_mistakes() {
  using enum WrongKind;
  const auto dropped = [](const Dropout& dropout) {
    AttentionSetting setting = full_setting();
    setting.options.dropout = dropout;
    return setting;
  };
  const Dropout same = subject_dropout(mutant_seed, attention_dropout);
  const auto kept = static_cast<Scalar>(1 / same.scale());
  // `some_rows`: the two masks may agree on a sequence.
  return {
      {"attention, dropout", {0, 1, 2}, "no dropout", {term}, attended_as(dropped({}))},
      {"attention, dropout",
       {0, 1, 2},
       "another mask",
       {term, some_rows},
       attended_as(dropped(subject_dropout(mutant_seed + 1, attention_dropout)))},
      {"attention, dropout", {2}, "1 / (1 - p) left out", {factor}, as_of([=](const Vars& x) {
         return scale(attend(x, dropped(same)), kept);
       })},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
