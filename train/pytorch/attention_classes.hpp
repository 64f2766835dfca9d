// Which attentions of a model are objects of one Python class: those of one form, which may differ
// in widths, patterns and other numbers.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "nn/attention/spec.hpp"

namespace tapehead {

struct AttentionForm {
  bool no_heads = false;
  Sharing sharing = Sharing::none;
  HeadWeights head_weights = HeadWeights::own;
  HeadInput input = HeadInput::wide;
  Combine combine = Combine::output;
  std::array<bool, EnumNames<Score>::names.size()> scores{};  // those that heads have
  ScoreScale scale = ScoreScale::inverse_sqrt_d_qk;
  AttentionPositions positions = AttentionPositions::none;
  RotaryPairs rotary_pairs = RotaryPairs::halves;
  HeadGating gates = HeadGating::none;
  bool grouped = false;  // several heads of queries share keys and values

  bool has(Score score) const { return scores[static_cast<std::size_t>(score)]; }
  bool mixed() const;  // not all heads have one score
  auto operator<=>(const AttentionForm&) const = default;
};

AttentionForm form_of(const AttentionSpec& spec);

struct AttentionClass {
  std::string name;
  AttentionForm form;
  std::vector<AttentionSpec> specs;

  bool of_self() const;
  bool of_cross() const;
};

// The classes of a model, in the order in which its attentions need them.
std::vector<AttentionClass> attention_classes(const ModelOptions& options);

// The class of an attention.
const AttentionClass& class_of(const std::vector<AttentionClass>& classes,
                               const AttentionSpec& spec);

}  // namespace tapehead
