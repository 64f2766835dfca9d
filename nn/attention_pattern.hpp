// Which keys a head may attend to, as a config names it.
#pragma once

#include <string>
#include <string_view>

#include "core/pattern.hpp"

namespace tapehead {

// "full", "causal", "window 4" (from four positions before the query to four after it), "window 4
// 0".
class AttentionPattern {
 public:
  static constexpr std::string_view notation = "full, causal, window N, window BEFORE AFTER";

  AttentionPattern() = default;
  // Throws ConfigError with what is wrong alone.
  explicit AttentionPattern(std::string_view text);

  std::string text() const;
  // The core's pattern; in a decoder's self-attention without what comes after the query.
  Pattern pattern(bool causal) const;

  bool operator==(const AttentionPattern&) const = default;

 private:
  Index before_ = Pattern::unlimited;
  Index after_ = Pattern::unlimited;
};

}  // namespace tapehead
