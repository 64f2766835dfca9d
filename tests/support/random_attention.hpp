// Models with random combinations of attention options.
#pragma once

#include <random>

#include "nn/attention/model_rules.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class RandomAttention {
 public:
  explicit RandomAttention(std::uint64_t seed) : draws_(seed) {}

  // Random options of a small model; the attention options are compatible.
  ModelOptions next() {
    while (true) {
      ModelOptions options = tiny_options();
      options.d_model = 12;
      options.heads = static_cast<Index>(one_of<Index>({1, 2, 3, 4}));
      options.d_head.reset();
      options.layers = 2;
      options.bias_attention = !sometimes();
      options.attention = settings();
      options.cross = settings();
      if (composes(options)) {
        clear_unused(options);
        return options;
      }
    }
  }

 private:
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[draws_() % values.size()];
  }
  template <class Enum>
  Enum any() {
    return static_cast<Enum>(draws_() % EnumNames<Enum>::names.size());
  }
  bool sometimes() { return draws_() % 3 == 0; }

  template <class Value>
  void maybe(Layered<Value>& option, const Value& value) {
    if (sometimes()) {
      option.values = {value};
    }
  }

  AttentionSettings settings() {
    AttentionSettings settings;
    const auto heads = one_of<Index>({1, 2, 3, 4});
    maybe(settings.heads, heads);
    maybe(settings.kv_heads, one_of<Index>({1, 2}));
    maybe(settings.d_qk, one_of<Index>({2, 3, 5}));
    maybe(settings.d_v, one_of<Index>({2, 3, 12}));
    maybe(settings.budget, any<HeadBudget>());
    maybe(settings.sharing, any<Sharing>());
    maybe(settings.head_weights, any<HeadWeights>());
    maybe(settings.input, any<HeadInput>());
    maybe(settings.combine, any<Combine>());
    maybe(settings.score, ByHead<Score>{{any<Score>()}});
    maybe(settings.scale, any<ScoreScale>());
    maybe(settings.positions, any<AttentionPositions>());
    maybe(settings.pattern, ByHead<AttentionPattern>{{AttentionPattern(one_of<const char*>(
                                {"full", "causal", "window 1", "window 2 0", "blocks 2",
                                 "strided 2", "fixed 3 1", "top_k 2", "window 3 top_k 2"}))}});
    maybe(settings.rotary_base, one_of({2.0, 300.0}));
    maybe(settings.rotary_pairs, any<RotaryPairs>());
    maybe(settings.clip, one_of<Index>({0, 1, 3}));
    maybe(settings.buckets, one_of<Index>({4, 6}));
    maybe(settings.farthest, one_of<Index>({4, 9}));
    maybe(settings.head_dropout, 0.3);
    maybe(settings.gates, any<HeadGating>());
    maybe(settings.start, any<HeadStart>());
    if (settings.heads.given() && sometimes()) {
      ByHead<Score> scores;
      for (Index head = 0; head < heads; ++head) {
        scores.values.push_back(any<Score>());
      }
      settings.score.values = {scores};
    }
    return settings;
  }

  // Resets numbers that the positions do not use: a config may not set them.
  static void clear_unused(ModelOptions& options) {
    const auto clear = [&](AttentionSettings& settings, std::span<const AttentionKind> of) {
      const auto clear_option = [&](const AttentionField& field, auto& option) {
        const bool used = std::ranges::any_of(of, [&](AttentionKind kind) {
          return field.used_with(attention_spec(options, kind, 0).positions);
        });
        if (!used) {
          option = {};
        }
      };
      AttentionSettings::walk(clear_option, settings);
    };
    clear(options.attention, attention_kinds);
    clear(options.cross, std::span(attention_kinds).last(1));
    clear_budget(options.attention, options.attention);
    clear_budget(options.cross, options.attention);
  }

  // If the widths are given or follow from other options, the budget has no effect and is reset.
  static void clear_budget(AttentionSettings& settings, const AttentionSettings& inherited) {
    const auto given = [&](const auto option) {
      return (settings.*option).given() || (inherited.*option).given();
    };
    if (given(&AttentionSettings::sharing) || given(&AttentionSettings::combine) ||
        (given(&AttentionSettings::d_qk) && given(&AttentionSettings::d_v))) {
      settings.budget = {};
    }
  }

  static bool composes(const ModelOptions& options) {
    for (const AttentionKind kind : attention_kinds) {
      if (spec_violation(attention_spec(options, kind, 0))) {
        return false;
      }
    }
    return true;
  }

  std::mt19937_64 draws_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
