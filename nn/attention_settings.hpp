// What can be varied about attention, as the config's sections `attention`, `encoder_self`,
// `decoder_self` and `cross` give it: the first for all, the others for one kind.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "core/layered.hpp"
#include "nn/attention_pattern.hpp"

namespace tapehead {

enum class AttentionKind { encoder_self, decoder_self, cross };
constexpr std::array<std::string_view, 3> attention_kind_names{"encoder_self", "decoder_self",
                                                               "cross"};
constexpr std::string_view name_of(AttentionKind kind) {
  return attention_kind_names[static_cast<std::size_t>(kind)];
}

enum class HeadBudget { fixed_width, fixed_head_dim, iso_params };
enum class Sharing { none, query_key, key_value, query_value, all, identity };
enum class HeadWeights { own, tied };
enum class HeadInput { wide, narrow };
enum class Combine { output, concatenate, mean, weighted };
enum class Score { dot, bilinear, cosine, additive };
enum class ScoreScale { inverse_sqrt_d_qk, inverse_sqrt_d_model, none, learned };
enum class AttentionPositions { none, rotary, relative, relative_keys, transformer_xl, t5, alibi };
enum class HeadGating { none, l0 };
enum class HeadStart { own, identical_projections, identical };

template <>
struct EnumNames<HeadBudget> {
  static constexpr std::array<std::string_view, 3> names{"fixed_width", "fixed_head_dim",
                                                         "iso_params"};
};
template <>
struct EnumNames<Sharing> {
  static constexpr std::array<std::string_view, 6> names{"none",        "query_key", "key_value",
                                                         "query_value", "all",       "identity"};
};
template <>
struct EnumNames<HeadWeights> {
  static constexpr std::array<std::string_view, 2> names{"own", "tied"};
};
template <>
struct EnumNames<HeadInput> {
  static constexpr std::array<std::string_view, 2> names{"wide", "narrow"};
};
template <>
struct EnumNames<Combine> {
  static constexpr std::array<std::string_view, 4> names{"output", "concatenate", "mean",
                                                         "weighted"};
};
template <>
struct EnumNames<Score> {
  static constexpr std::array<std::string_view, 4> names{"dot", "bilinear", "cosine", "additive"};
};
template <>
struct EnumNames<ScoreScale> {
  static constexpr std::array<std::string_view, 4> names{"inverse_sqrt_d_qk",
                                                         "inverse_sqrt_d_model", "none", "learned"};
};
template <>
struct EnumNames<AttentionPositions> {
  static constexpr std::array<std::string_view, 7> names{
      "none", "rotary", "relative", "relative_keys", "transformer_xl", "t5", "alibi"};
};
template <>
struct EnumNames<HeadGating> {
  static constexpr std::array<std::string_view, 2> names{"none", "l0"};
};
template <>
struct EnumNames<HeadStart> {
  static constexpr std::array<std::string_view, 3> names{"own", "identical_projections",
                                                         "identical"};
};

// An option that is absent follows the section `attention` and, absent there, what its help says.
struct AttentionSettings {
  Layered<Index> heads{};
  Layered<Index> kv_heads{};
  Layered<Index> d_qk{};
  Layered<Index> d_v{};
  Layered<HeadBudget> budget{};
  Layered<Sharing> sharing{};
  Layered<HeadWeights> head_weights{};
  Layered<std::string> shared_as{};
  Layered<HeadInput> input{};
  Layered<Combine> combine{};
  Layered<ByHead<Score>> score{};
  Layered<ScoreScale> scale{};
  Layered<AttentionPositions> positions{};
  Layered<Index> clip{};
  Layered<Index> buckets{};
  Layered<Index> farthest{};
  Layered<ByHead<AttentionPattern>> pattern{};
  Layered<double> dropout{};
  Layered<double> head_dropout{};
  Layered<HeadGating> gates{};
  Layered<HeadStart> start{};

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "heads",
                .help = "heads; 0: the attention gives its output bias alone; auto: model.heads",
                .minimum = 0,
                .maximum = 1024},
          heads);
    visit(Field{.name = "kv_heads",
                .help = "heads of keys and values, each for as many heads of queries (1: "
                        "multi-query, Shazeer 2019; more: grouped-query, Ainslie et al. 2023); "
                        "auto: heads",
                .minimum = 1,
                .maximum = 1024},
          kv_heads);
    visit(Field{.name = "d_qk",
                .help = "width of each head's queries and keys; auto: by budget",
                .minimum = 1,
                .maximum = 65536},
          d_qk);
    visit(Field{.name = "d_v",
                .help = "width of each head's values; auto: by budget, or what combine needs",
                .minimum = 1,
                .maximum = 65536},
          d_v);
    visit(Field{.name = "budget",
                .help = "what d_qk and d_v are where not given: d_model / heads; model.d_head, or "
                        "64; or such that the attention has nearest to 4 d_model^2 weights; auto: "
                        "model.d_head, or fixed_width",
                .keeps_meaning = true},
          budget);
    visit(Field{.name = "sharing",
                .help = "which of query, key and value have one weight; identity: none has any; "
                        "auto: none"},
          sharing);
    visit(Field{.name = "head_weights",
                .help = "query, key and value weights: each head its own, or one set for all heads "
                        "(tied); auto: own"},
          head_weights);
    visit(Field{.name = "shared_as",
                .help = "a name: attentions of one name, in whatever layers, have all of their "
                        "weights in common; auto: empty, weights of its own"},
          shared_as);
    visit(Field{.name = "input",
                .help = "each head sees all of the input (wide) or its own d_model / heads columns "
                        "(narrow); auto: wide"},
          input);
    visit(Field{.name = "combine",
                .help = "from heads to the output: an output projection, their concatenation, "
                        "their mean, or a learned weighted sum; auto: output"},
          combine);
    visit(Field{.name = "score",
                .help = "of a query q and a key k: q k, q M k with a learned M, d_qk cos(q, k), or "
                        "v tanh(q + k) with a learned v; a list gives each head its own; auto: "
                        "dot"},
          score);
    visit(Field{.name = "scale",
                .help = "factor on the scores; learned: one for each head, from inverse_sqrt_d_qk "
                        "on; auto: inverse_sqrt_d_qk"},
          scale);
    visit(
        Field{.name = "positions",
              .help = "how queries and keys of self-attention tell positions, beside "
                      "model.positions: rotary (Su et al. 2021); relative (Shaw et al. 2018), with "
                      "or without (relative_keys) their term for values; transformer_xl (Dai et "
                      "al. 2019); t5 (Raffel et al. 2020); alibi (Press et al. 2022); in the "
                      "section attention it is for self-attention; auto: none"},
        positions);
    visit(Field{.name = "clip",
                .help = "relative, relative_keys, transformer_xl: distances beyond this count as "
                        "this; auto: 16",
                .minimum = 0,
                .maximum = 4096,
                .unit = "tokens"},
          clip);
    visit(Field{.name = "buckets",
                .help = "t5: buckets of distances, in encoders for both directions together; auto: "
                        "32",
                .minimum = 4,
                .maximum = 4096},
          buckets);
    visit(Field{.name = "farthest",
                .help = "t5: the distance from which on all share a bucket; auto: 128",
                .minimum = 1,
                .maximum = 1048576,
                .unit = "tokens"},
          farthest);
    visit(Field{.name = "pattern",
                .help = "keys that a query may attend to, in decoders never later ones; a list "
                        "gives each head its own; in the section attention it is for "
                        "self-attention; auto: full"},
          pattern);
    visit(Field{.name = "dropout",
                .help = "dropout on attention weights; auto: model.dropout_attention",
                .minimum = 0,
                .maximum = 1,
                .exclusive_maximum = true,
                .keeps_meaning = true},
          dropout);
    visit(Field{.name = "head_dropout",
                .help = "dropout of whole heads, sequence by sequence (Zhou et al. 2020); auto: 0",
                .minimum = 0,
                .maximum = 1,
                .exclusive_maximum = true,
                .keeps_meaning = true},
          head_dropout);
    visit(Field{.name = "gates",
                .help = "l0: a gate on each head, drawn between 0 and 1 in every step, that "
                        "training.gate_penalty can close for good (Voita et al. 2019); auto: none"},
          gates);
    visit(Field{.name = "start",
                .help = "first weights of the heads: their own, the same query, key and value "
                        "weights, or the same output weights as well; auto: own",
                .keeps_meaning = true},
          start);
  }
};

}  // namespace tapehead
