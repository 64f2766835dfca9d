// The options of attention. Each option stands once: a member with its default, and a row.
#pragma once

#include "core/choices.hpp"
#include "nn/options/choices.hpp"

namespace tapehead {

// For a dropout probability in [0, 1).
constexpr Field dropout_field(std::string_view name) {
  return keeping_meaning(below(named(name, 0, 1)));
}

// For an option that affects only the first weights.
constexpr Field for_start(const Field& field) { return keeping_meaning(kept_by_resume(field)); }

// The properties of an attention option beyond those of any Field.
struct AttentionUse {
  std::span<const AttentionPositions> positions{};  // schemes that use the option; empty: all
  bool of_self = false;         // the section `attention` applies it only to self-attention
  bool may_differ = false;      // may differ between attentions that share weights (shared_as)
  bool may_be_added = false;    // weights made with its default fit other values (model.init_from)
  bool decides_others = false;  // only sets other options; absent in a resolved attention

  bool used_with(AttentionPositions scheme) const {
    return positions.empty() || std::ranges::find(positions, scheme) != positions.end();
  }
};

struct AttentionField : Field, AttentionUse {
  AttentionField(const Field& field, const AttentionUse& use = {})
      : Field(field), AttentionUse(use) {}
};

// AttentionFields<Layered> is a section of a config. An option absent there follows the section
// `attention`, then its help. AttentionFields<Plain> is one attention with every option decided.
template <template <class> class Of>
struct AttentionFields {
  Of<Index> heads = unless_set<Index>(1);
  Of<Index> kv_heads = unless_set<Index>(1);
  Of<Index> d_qk = unless_set<Index>(1);
  Of<Index> d_v = unless_set<Index>(1);
  Of<HeadBudget> budget = unless_set(HeadBudget::fixed_width);
  Of<Sharing> sharing = unless_set(Sharing::none);
  Of<HeadWeights> head_weights = unless_set(HeadWeights::own);
  Of<std::string> shared_as{};
  Of<HeadInput> input = unless_set(HeadInput::wide);
  Of<Combine> combine = unless_set(Combine::output);
  Of<ByHead<Score>> score = unless_set(ByHead<Score>{{Score::dot}});
  Of<ScoreScale> scale = unless_set(ScoreScale::inverse_sqrt_d_qk);
  Of<AttentionPositions> positions = unless_set(AttentionPositions::none);
  Of<double> rotary_base = unless_set(10000.0);
  Of<RotaryPairs> rotary_pairs = unless_set(RotaryPairs::halves);
  Of<Index> clip = unless_set<Index>(16);
  Of<Index> buckets = unless_set<Index>(32);
  Of<Index> farthest = unless_set<Index>(128);
  Of<ByHead<AttentionPattern>> pattern = unless_set(ByHead<AttentionPattern>{{AttentionPattern()}});
  Of<double> dropout = unless_set(0.0);
  Of<double> head_dropout = unless_set(0.0);
  Of<HeadGating> gates = unless_set(HeadGating::none);
  Of<HeadStart> start = unless_set(HeadStart::own);

  // Calls visit(AttentionField, members...) for each option, with its member in each of `of`.
  template <class Visitor, class... Fields>
  static void walk(Visitor&& visit, Fields&... of) {
    const auto row = [&](const auto& members, AttentionField field, std::string_view help) {
      field.help = help;
      std::apply([&](auto&... each) { visit(field, each...); }, members);
    };
    row(std::tie(of.heads...), named("heads", 0, 1024),
        "heads; 0: the attention gives only its output bias; auto: model.heads");
    row(std::tie(of.kv_heads...), named("kv_heads", 1, 1024),
        "heads of keys and values; each serves equally many query heads (1: multi-query, Shazeer "
        "2019; more: grouped-query, Ainslie et al. 2023); auto: heads");
    row(std::tie(of.d_qk...), named("d_qk", 1, 65536),
        "width of each head's queries and keys; auto: by budget");
    row(std::tie(of.d_v...), named("d_v", 1, 65536),
        "width of each head's values; auto: by budget, or what combine needs");
    row(std::tie(of.budget...), {keeping_meaning(named("budget")), {.decides_others = true}},
        "d_qk and d_v if they are not given: d_model / heads; model.d_head, or 64; or so that the "
        "number of weights is closest to 4 d_model^2; auto: model.d_head, or fixed_width");
    row(std::tie(of.sharing...), named("sharing"),
        "which of query, key and value share one weight; identity: no weights; identity_query: "
        "queries are the input (Bietti et al. 2023), keys and values have a weight each; auto: "
        "none");
    row(std::tie(of.head_weights...), named("head_weights"),
        "query, key and value weights: each head its own, or one set for all heads (tied); "
        "auto: own");
    row(std::tie(of.shared_as...), named("shared_as"),
        "a name: attentions with the same name, in any layers, share all their weights; auto: "
        "empty, own weights");
    row(std::tie(of.input...), named("input"),
        "each head sees all of the input (wide) or its own d_model / heads columns (narrow); "
        "auto: wide");
    row(std::tie(of.combine...), named("combine"),
        "how heads become the output: an output projection, their concatenation, their mean, or a "
        "learned weighted sum; auto: output");
    row(std::tie(of.score...), named("score"),
        "score of query q and key k: q k, q M k with a learned M, d_qk cos(q, k), or v tanh(q + k) "
        "with a learned v; a list gives each head its own; auto: dot");
    row(std::tie(of.scale...), named("scale"),
        "factor on the scores; learned: a factor on each head's queries, starting at "
        "inverse_sqrt_d_qk; auto: inverse_sqrt_d_qk");
    row(std::tie(of.positions...), {named("positions"), {.of_self = true}},
        "how queries and keys of self-attention encode positions, in addition to model.positions: "
        "rotary (Su et al. 2021); relative (Shaw et al. 2018), with or without (relative_keys) "
        "their term for values; transformer_xl (Dai et al. 2019); t5 (Raffel et al. 2020); alibi "
        "(Press et al. 2022); the section attention sets it for self-attention only; auto: none");
    row(std::tie(of.rotary_base...),
        {named("rotary_base", 1, 1e12), {.positions = rotary_positions}},
        "rotary: pair c of d_qk / 2 turns by base^(-2 c / d_qk) for each position; auto: 10000");
    row(std::tie(of.rotary_pairs...), {named("rotary_pairs"), {.positions = rotary_positions}},
        "rotary: pair c is the columns c and c + d_qk / 2 (halves, as in GPT-NeoX and Llama) or "
        "2 c and 2 c + 1 (interleaved, Su et al. 2021); auto: halves");
    row(std::tie(of.clip...), {named("clip", 0, 4096, "tokens"), {.positions = clipped_positions}},
        "relative, relative_keys, transformer_xl: larger distances count as this; auto: 16");
    row(std::tie(of.buckets...), {named("buckets", 4, 4096), {.positions = bucketed_positions}},
        "t5: buckets of distances, in encoders for both directions together; auto: 32");
    row(std::tie(of.farthest...),
        {named("farthest", 1, 1048576, "tokens"), {.positions = bucketed_positions}},
        "t5: this and larger distances share a bucket; auto: 128");
    row(std::tie(of.pattern...), {named("pattern"), {.of_self = true, .may_differ = true}},
        "keys that a query may attend to, in decoders never later keys; a list gives each head its "
        "own; the section attention sets it for self-attention only; auto: full");
    row(std::tie(of.dropout...), {dropout_field("dropout"), {.may_differ = true}},
        "dropout on attention weights; auto: model.dropout_attention");
    row(std::tie(of.head_dropout...), {dropout_field("head_dropout"), {.may_differ = true}},
        "dropout of whole heads, sequence by sequence (Zhou et al. 2020); auto: 0");
    row(std::tie(of.gates...), {named("gates"), {.may_be_added = true}},
        "l0: a gate on each head, drawn between 0 and 1 in every step, that "
        "training.gate_penalty can close for good (Voita et al. 2019); auto: none");
    row(std::tie(of.start...), for_start(named("start")),
        "initial weights of the heads: all different; equal query, key and value weights; or also "
        "equal output weights; auto: own");
  }

  void fields(const auto& row) {
    walk([&](const Field& field, auto& member) { row(member, field, field.help); }, *this);
  }

  // Copies the options from `other` for which which(AttentionField) is true.
  void take_from(const AttentionFields& other, const auto& which) {
    walk(
        [&](const AttentionField& field, auto& own, const auto& others) {
          if (std::invoke(which, field)) {
            own = others;
          }
        },
        *this, other);
  }

  bool operator==(const AttentionFields&) const = default;

 private:
  // The value of an option for one attention if no section sets it.
  template <class Value>
  static Of<Value> unless_set(const Value& value) {
    if constexpr (std::is_same_v<Of<Value>, Value>) {
      return value;
    } else {
      return {};
    }
  }
};

// The section `attention`, which is for all kinds, and the sections for one kind.
using AttentionSettings = AttentionFields<Layered>;

}  // namespace tapehead
