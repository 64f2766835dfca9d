// Sites: where an attention is in a model, whatever its parameters are called.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "nn/options/attention_settings.hpp"

namespace tapehead {

enum class StackName { encoder, decoder };
std::string_view name_of(StackName stack);  // "encoder"

struct AttentionSite {
  AttentionKind kind = AttentionKind::encoder_self;
  Index layer = 0;

  StackName stack() const {
    return kind == AttentionKind::encoder_self ? StackName::encoder : StackName::decoder;
  }
  bool is_self() const { return kind != AttentionKind::cross; }
  std::string text() const;  // "decoder.layers.1.cross"

  auto operator<=>(const AttentionSite&) const = default;
};

}  // namespace tapehead
