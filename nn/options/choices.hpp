// The choices for options of a transformer and its attentions, by name, and patterns of heads.
#pragma once

#include "core/fields.hpp"
#include "core/sequence/pattern.hpp"

namespace tapehead {

enum class AttentionKind { encoder_self, decoder_self, cross };
inline constexpr std::array attention_kinds{AttentionKind::encoder_self,
                                            AttentionKind::decoder_self, AttentionKind::cross};
constexpr ValueNames<3> attention_kind_names{"encoder_self", "decoder_self", "cross"};
constexpr ValueNames<3> value_names(AttentionKind) { return attention_kind_names; }

enum class StackName { encoder, decoder };
inline constexpr std::array stack_names{StackName::encoder, StackName::decoder};
constexpr ValueNames<2> value_names(StackName) { return {"encoder", "decoder"}; }
constexpr StackName stack_of(AttentionKind kind) {
  return kind == AttentionKind::encoder_self ? StackName::encoder : StackName::decoder;
}

enum class HeadBudget { fixed_width, fixed_head_dim, iso_params };
constexpr ValueNames<3> value_names(HeadBudget) {
  return {"fixed_width", "fixed_head_dim", "iso_params"};
}

enum class Sharing { none, query_key, key_value, query_value, all, identity, identity_query };
constexpr ValueNames<7> value_names(Sharing) {
  return {"none", "query_key", "key_value", "query_value", "all", "identity", "identity_query"};
}
constexpr bool shares_value(Sharing sharing) {
  return sharing != Sharing::none && sharing != Sharing::query_key &&
         sharing != Sharing::identity_query;
}

enum class HeadWeights { own, tied };
constexpr ValueNames<2> value_names(HeadWeights) { return {"own", "tied"}; }

enum class HeadInput { wide, narrow };
constexpr ValueNames<2> value_names(HeadInput) { return {"wide", "narrow"}; }

enum class Combine { output, concatenate, mean, weighted };
constexpr ValueNames<4> value_names(Combine) {
  return {"output", "concatenate", "mean", "weighted"};
}

enum class Score { dot, bilinear, cosine, additive };
constexpr ValueNames<4> value_names(Score) { return {"dot", "bilinear", "cosine", "additive"}; }

enum class ScoreScale { inverse_sqrt_d_qk, inverse_sqrt_d_model, none, learned };
constexpr ValueNames<4> value_names(ScoreScale) {
  return {"inverse_sqrt_d_qk", "inverse_sqrt_d_model", "none", "learned"};
}

enum class AttentionPositions { none, rotary, relative, relative_keys, transformer_xl, t5, alibi };
constexpr ValueNames<7> value_names(AttentionPositions) {
  return {"none", "rotary", "relative", "relative_keys", "transformer_xl", "t5", "alibi"};
}

// Positions that distinguish the distances up to `clip`.
inline constexpr std::array clipped_positions{AttentionPositions::relative,
                                              AttentionPositions::relative_keys,
                                              AttentionPositions::transformer_xl};
inline constexpr std::array bucketed_positions{AttentionPositions::t5};
inline constexpr std::array rotary_positions{AttentionPositions::rotary};

enum class HeadGating { none, l0 };
constexpr ValueNames<2> value_names(HeadGating) { return {"none", "l0"}; }

enum class HeadStart { own, identical_projections, identical };
constexpr ValueNames<3> value_names(HeadStart) {
  return {"own", "identical_projections", "identical"};
}

// The stacks of a model. In a decoder, no row attends to later rows.
enum class Family { encoder_decoder, decoder, encoder };

// The properties of a family. To add a family, extend Family, `families`, and the columns of
// train/options/application.hpp, which say what each family is for.
struct FamilyTraits {
  std::string_view name;
  StackName main;             // the stack that reads the input
  bool context = false;       // an encoder reads the source, and the main stack attends to it
  bool one_sequence = false;  // source and target of a pair are one sequence
  std::string_view alone{};   // what a model with only this stack is

  constexpr bool has(StackName stack) const { return stack == main || context; }
  constexpr bool has(AttentionKind kind) const {
    return kind == AttentionKind::cross ? context : has(stack_of(kind));
  }
  // Whether rows see later rows. On plain text such a model predicts masked tokens.
  constexpr bool sees_ahead() const { return main == StackName::encoder; }
};

inline constexpr std::array families{
    FamilyTraits{.name = "encoder_decoder", .main = StackName::decoder, .context = true},
    FamilyTraits{
        .name = "decoder", .main = StackName::decoder, .one_sequence = true, .alone = "a decoder"},
    FamilyTraits{.name = "encoder", .main = StackName::encoder, .alone = "an encoder"}};
constexpr ValueNames<families.size()> value_names(Family) {
  ValueNames<families.size()> names;
  std::ranges::transform(families, names.begin(), &FamilyTraits::name);
  return names;
}

// Which rows of a source see each other in a model that has only a decoder.
enum class SourceRows { causal, full };
constexpr ValueNames<2> value_names(SourceRows) { return {"causal", "full"}; }

enum class NormKind { layer_norm, rms_norm, none };
constexpr ValueNames<3> value_names(NormKind) { return {"layer_norm", "rms_norm", "none"}; }

enum class NormPosition { pre, post };
constexpr ValueNames<2> value_names(NormPosition) { return {"pre", "post"}; }

enum class PositionKind { sinusoidal, learned, none };
constexpr ValueNames<3> value_names(PositionKind) { return {"sinusoidal", "learned", "none"}; }

enum class Tying { none, source_target, target_output, all };
constexpr ValueNames<4> value_names(Tying) {
  return {"none", "source_target", "target_output", "all"};
}
constexpr bool ties_source(Tying tying) {
  return tying == Tying::source_target || tying == Tying::all;
}
constexpr bool ties_output(Tying tying) {
  return tying == Tying::target_output || tying == Tying::all;
}

// The transform of the labelled rows before the output layer.
enum class HeadTransform { none, pooler, masked };
constexpr ValueNames<3> value_names(HeadTransform) { return {"none", "pooler", "masked"}; }

// Named sets of option values that make a model like a published one.
enum class Preset { none, vaswani, gpt2, llama, bert };
constexpr ValueNames<5> value_names(Preset) { return {"none", "vaswani", "gpt2", "llama", "bert"}; }

// The block after the attentions of a layer: two linear maps, two with a gate, or no block.
enum class FeedForwardKind { plain, gated, none };
constexpr ValueNames<3> value_names(FeedForwardKind) { return {"plain", "gated", "none"}; }

enum class InitKind { xavier_uniform, xavier_normal, normal };
constexpr ValueNames<3> value_names(InitKind) {
  return {"xavier_uniform", "xavier_normal", "normal"};
}

enum class EmbeddingScale { sqrt_d_model, none };
constexpr ValueNames<2> value_names(EmbeddingScale) { return {"sqrt_d_model", "none"}; }

enum class EmbeddingInit { standard, unit_normal, xavier_uniform, kaiming_normal };
constexpr ValueNames<4> value_names(EmbeddingInit) {
  return {"standard", "unit_normal", "xavier_uniform", "kaiming_normal"};
}

enum class PositionScale { none, inverse_sqrt_d_model };
constexpr ValueNames<2> value_names(PositionScale) { return {"none", "inverse_sqrt_d_model"}; }

// The pattern of a head, in the notation of a config: the keys to which the head may attend.
// "window 4" spans four positions before the query to four after it; "window 4 0" only looks back.
// "fixed 8 2" has blocks of 8 with two summary keys each. "sink_window 4 60" spans the 60 positions
// before the query and the first four. A final "top_k 3" keeps the 3 allowed keys that score most.
class AttentionPattern {
 public:
  static constexpr std::string_view notation =
      "full, causal, window N, window BEFORE AFTER, blocks N, strided N, fixed N SUMMARIES; any of "
      "them followed by top_k N, or top_k N alone; sink_window SINKS BEFORE";

  AttentionPattern() = default;
  // Throws ConfigError whose message says only what is wrong.
  explicit AttentionPattern(std::string_view text);

  std::string text() const;
  // The pattern for core. In a decoder's self-attention, keys after the query are excluded.
  Pattern pattern(bool decoder) const;

  // Whether it supports a prefix that every query sees.
  bool takes_prefix() const {
    return top_ == 0 && (kind_ == Kind::full || kind_ == Kind::causal || kind_ == Kind::window);
  }

  bool has_sinks() const { return kind_ == Kind::sink_window; }

  bool operator==(const AttentionPattern&) const = default;

 private:
  enum class Kind { full, causal, window, blocks, strided, fixed, sink_window };

  Kind kind_ = Kind::full;
  Index first_ = 0;  // the numbers after the name
  Index second_ = 0;
  Index top_ = 0;  // 0: keeps all
};

}  // namespace tapehead
