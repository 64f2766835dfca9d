// The choices for options of attention: their values, and their names in a config.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

enum class AttentionKind { encoder_self, decoder_self, cross };
inline constexpr std::array attention_kinds{AttentionKind::encoder_self,
                                            AttentionKind::decoder_self, AttentionKind::cross};
constexpr std::array<std::string_view, 3> attention_kind_names{"encoder_self", "decoder_self",
                                                               "cross"};
constexpr std::string_view name_of(AttentionKind kind) {
  return attention_kind_names[static_cast<std::size_t>(kind)];
}

enum class StackName { encoder, decoder };
inline constexpr std::array stack_names{StackName::encoder, StackName::decoder};
constexpr std::string_view name_of(StackName stack) {
  return stack == StackName::encoder ? "encoder" : "decoder";
}
constexpr StackName stack_of(AttentionKind kind) {
  return kind == AttentionKind::encoder_self ? StackName::encoder : StackName::decoder;
}

enum class HeadBudget { fixed_width, fixed_head_dim, iso_params };
enum class Sharing { none, query_key, key_value, query_value, all, identity, identity_query };
enum class HeadWeights { own, tied };
enum class HeadInput { wide, narrow };
enum class Combine { output, concatenate, mean, weighted };
enum class Score { dot, bilinear, cosine, additive };
enum class ScoreScale { inverse_sqrt_d_qk, inverse_sqrt_d_model, none, learned };
enum class AttentionPositions { none, rotary, relative, relative_keys, transformer_xl, t5, alibi };
enum class HeadGating { none, l0 };
enum class HeadStart { own, identical_projections, identical };

// Positions that distinguish all distances up to `clip`.
inline constexpr std::array clipped_positions{AttentionPositions::relative,
                                              AttentionPositions::relative_keys,
                                              AttentionPositions::transformer_xl};
inline constexpr std::array bucketed_positions{AttentionPositions::t5};
inline constexpr std::array rotary_positions{AttentionPositions::rotary};

constexpr bool shares_value(Sharing sharing) {
  return sharing != Sharing::none && sharing != Sharing::query_key &&
         sharing != Sharing::identity_query;
}

template <>
struct EnumNames<HeadBudget> {
  static constexpr std::array<std::string_view, 3> names{"fixed_width", "fixed_head_dim",
                                                         "iso_params"};
};
template <>
struct EnumNames<Sharing> {
  static constexpr std::array<std::string_view, 7> names{
      "none", "query_key", "key_value", "query_value", "all", "identity", "identity_query"};
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

}  // namespace tapehead
