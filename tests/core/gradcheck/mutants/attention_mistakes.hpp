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

inline std::vector<Mistake> attention_mistakes() {
  using enum WrongKind;
  const std::string op = "attention";
  const std::string to_itself = "attention, to itself";
  const std::vector<std::size_t> all{0, 1, 2};
  const AttentionSetting full = full_setting();
  AttentionSetting other_keys = full;
  std::ranges::rotate(other_keys.keys.list, other_keys.keys.list.begin() + 1);

  const auto weighted_by = [full](const std::function<Var(const Var& scores)>& weights_of) {
    return as_of([=](const Vars& x) { return attention_with(weights_of, x, full); });
  };
  const auto exchange = [](std::size_t i, std::size_t j) {
    return [i, j](BackwardPass& pass) { std::swap(pass.gradients[i], pass.gradients[j]); };
  };
  // Changes the columns of the two heads in each row of the gradients.
  const auto change_heads = [](const std::function<void(std::span<Scalar>, std::span<Scalar>)>& f) {
    return [f](BackwardPass& pass) {
      for (Tensor& gradient : pass.gradients) {
        const auto half = static_cast<std::size_t>(gradient.dim(1) / 2);
        for (Index i = 0; i < gradient.dim(0); ++i) {
          f({gradient.row(i), half}, {gradient.row(i) + half, half});
        }
      }
    };
  };
  const Spoil unscaled = as_of([full](const Vars& x) {
    const Scalar root = std::sqrt(static_cast<Scalar>(full.options.d_key));
    return attend({gradient_times(x[0], root), gradient_times(x[1], root), x[2]}, full);
  });
  const Spoil over_all_heads = as_of([full](const Vars& x) {
    const Scalar over = 1 / std::sqrt(static_cast<Scalar>(full.options.heads));
    return attend({scale(x[0], over), x[1], x[2]}, full);
  });
  const Spoil without_sum =
      weighted_by([](const Var& s) { return exp(add(s, detached(subtract(log_softmax(s), s)))); });
  const Spoil unnormalised = weighted_by([](const Var& s) { return exp(s); });
  const Spoil second_head_lost = change_heads(
      [](std::span<Scalar>, std::span<Scalar> second) { std::ranges::fill(second, Scalar{0}); });
  const Spoil heads_exchanged = change_heads([](std::span<Scalar> first, std::span<Scalar> second) {
    std::ranges::swap_ranges(first, second);
  });
  // The first sequence has one query.
  const Spoil first_sequence = [](BackwardPass& pass) {
    const auto columns = static_cast<std::size_t>(pass.dy.dim(1));
    std::ranges::fill(pass.dy.values().subspan(columns), Scalar{0});
    pass.gradients = gradients_of(pass.function, pass.inputs, pass.dy);
  };
  return {
      {op, {0, 1}, "1 / √d_key left out", {factor}, unscaled},
      {op, all, "√(heads d_key) for √d_key", {term}, over_all_heads},
      {op, {0, 1}, "the softmax's Σ y dy left out", {term}, without_sum},
      {op, {2}, "weights that do not add to one", {term}, unnormalised},
      {op, all, "the second head left out", {some_columns}, second_head_lost},
      {op, all, "the heads exchanged", {term}, heads_exchanged},
      {op, all, "the empty sequence ends the loop", {some_rows}, first_sequence},
      {op, all, "the next sequence's keys", {term}, attended_as(other_keys)},
      {to_itself, {1, 2}, "key's and value's exchanged", {term}, exchange(1, 2)},
      {to_itself, {0, 1}, "query's and key's exchanged", {term}, exchange(0, 1)},
  };
}

inline std::vector<Mistake> pattern_mistakes() {
  using enum WrongKind;
  const std::string causal = "attention, causal";
  const std::string windows = "attention, windows";
  const std::string dropped = "attention, dropout";
  const std::vector<std::size_t> all{0, 1, 2};
  const auto seen = [](AttentionSetting setting, PoolVector<Pattern> patterns) {
    setting.options.patterns = std::move(patterns);
    return attended_as(setting);
  };
  const auto dropping = [](const Dropout& dropout) {
    AttentionSetting setting = full_setting();
    setting.options.dropout = dropout;
    return setting;
  };
  AttentionSetting early = causal_setting();
  for (Segment& segment : early.queries.list) {
    segment.position = 0;
  }
  const Spoil all_seen = seen(window_setting(), {Pattern::full()});
  const Spoil too_wide = seen(window_setting(), {Pattern::window(2, 0), Pattern::window(0, 3)});
  const Spoil first_window = seen(window_setting(), {Pattern::window(1, 0)});
  const Spoil another_mask =
      attended_as(dropping(subject_dropout(mutant_seed + 1, attention_dropout)));
  const Spoil without_factor = as_of([dropping](const Vars& x) {
    const Dropout same = subject_dropout(mutant_seed, attention_dropout);
    return scale(attend(x, dropping(same)), 1 / same.scale());
  });
  // `some_rows`: queries that see the same keys under both patterns have correct gradients, and two
  // masks may agree on a sequence.
  return {
      {causal, all, "the pattern left out", {some_rows}, seen(causal_setting(), {Pattern::full()})},
      {causal, all, "queries from position 0", {term}, attended_as(early)},
      {windows, all, "the pattern left out", {term}, all_seen},
      {windows, all, "a window too wide by one", {some_rows}, too_wide},
      {windows, all, "the first head's pattern for both", {some_columns}, first_window},
      {dropped, all, "no dropout", {term}, attended_as(full_setting())},
      {dropped, all, "another mask", {term, some_rows}, another_mask},
      {dropped, {2}, "1 / (1 - p) left out", {factor}, without_factor},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
