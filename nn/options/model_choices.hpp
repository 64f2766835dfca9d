// The choices for options of a transformer: their values, and their names in a config.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/fields.hpp"
#include "nn/options/attention_choices.hpp"

namespace tapehead {

// Which stacks there are. In a decoder, no row attends to later rows.
enum class Family { encoder_decoder, decoder, encoder };

// What follows from a family. To add one, add it to Family, a row to `families`, and a column to
// train/options/application.hpp, which says what it is for.
struct FamilyTraits {
  std::string_view name;
  StackName main;             // the stack that reads the input
  bool context = false;       // an encoder reads the source, and the main stack attends to it
  bool one_sequence = false;  // the input of a pair is its source and its target
  std::string_view alone{};   // what a model is that has no other stack

  constexpr bool has(StackName stack) const { return stack == main || context; }
  constexpr bool has(AttentionKind kind) const {
    return kind == AttentionKind::cross ? context : has(stack_of(kind));
  }
  // Whether rows see what follows them: of a text it predicts tokens that are masked.
  constexpr bool sees_ahead() const { return main == StackName::encoder; }
};

inline constexpr std::array families{
    FamilyTraits{.name = "encoder_decoder", .main = StackName::decoder, .context = true},
    FamilyTraits{
        .name = "decoder", .main = StackName::decoder, .one_sequence = true, .alone = "a decoder"},
    FamilyTraits{.name = "encoder", .main = StackName::encoder, .alone = "an encoder"}};

// What the rows of a source see of each other in a model that is only a decoder.
enum class SourceRows { causal, full };

enum class NormKind { layer_norm, rms_norm, none };
enum class NormPosition { pre, post };
enum class PositionKind { sinusoidal, learned, none };
enum class Tying { none, source_target, target_output, all };

constexpr bool ties_source(Tying tying) {
  return tying == Tying::source_target || tying == Tying::all;
}
constexpr bool ties_output(Tying tying) {
  return tying == Tying::target_output || tying == Tying::all;
}

// What the output head does with the labelled rows before its output layer.
enum class HeadTransform { none, pooler, masked };

// Named values for several options, with which a model is like one of the literature.
enum class Preset { none, vaswani, gpt2, llama, bert };

// The block after the attentions of a layer: two linear maps, two with a gate, or no such block.
enum class FeedForwardKind { plain, gated, none };

enum class InitKind { xavier_uniform, xavier_normal, normal };
enum class EmbeddingScale { sqrt_d_model, none };
enum class EmbeddingInit { standard, unit_normal, xavier_uniform, kaiming_normal };
enum class PositionScale { none, inverse_sqrt_d_model };

template <>
struct EnumNames<Family> {
  static constexpr auto names = [] {
    std::array<std::string_view, families.size()> all;
    std::ranges::transform(families, all.begin(), &FamilyTraits::name);
    return all;
  }();
};
template <>
struct EnumNames<SourceRows> {
  static constexpr std::array<std::string_view, 2> names{"causal", "full"};
};
template <>
struct EnumNames<Preset> {
  static constexpr std::array<std::string_view, 5> names{"none", "vaswani", "gpt2", "llama",
                                                         "bert"};
};
template <>
struct EnumNames<HeadTransform> {
  static constexpr std::array<std::string_view, 3> names{"none", "pooler", "masked"};
};
template <>
struct EnumNames<FeedForwardKind> {
  static constexpr std::array<std::string_view, 3> names{"plain", "gated", "none"};
};
template <>
struct EnumNames<NormKind> {
  static constexpr std::array<std::string_view, 3> names{"layer_norm", "rms_norm", "none"};
};
template <>
struct EnumNames<NormPosition> {
  static constexpr std::array<std::string_view, 2> names{"pre", "post"};
};
template <>
struct EnumNames<PositionKind> {
  static constexpr std::array<std::string_view, 3> names{"sinusoidal", "learned", "none"};
};
template <>
struct EnumNames<Tying> {
  static constexpr std::array<std::string_view, 4> names{"none", "source_target", "target_output",
                                                         "all"};
};
template <>
struct EnumNames<EmbeddingScale> {
  static constexpr std::array<std::string_view, 2> names{"sqrt_d_model", "none"};
};
template <>
struct EnumNames<EmbeddingInit> {
  static constexpr std::array<std::string_view, 4> names{"standard", "unit_normal",
                                                         "xavier_uniform", "kaiming_normal"};
};
template <>
struct EnumNames<PositionScale> {
  static constexpr std::array<std::string_view, 2> names{"none", "inverse_sqrt_d_model"};
};
template <>
struct EnumNames<InitKind> {
  static constexpr std::array<std::string_view, 3> names{"xavier_uniform", "xavier_normal",
                                                         "normal"};
};

}  // namespace tapehead
