// Which keys a head may attend to, as a config names it.
#pragma once

#include <string>
#include <string_view>

#include "core/sequence/pattern.hpp"

namespace tapehead {

// "window 4" is from four positions before the query to four after it, "window 4 0" looks back
// alone; "fixed 8 2" has blocks of 8 with two summary keys each. A last "top_k 3" keeps the three
// keys with the largest scores of those that the rest allows.
class AttentionPattern {
 public:
  static constexpr std::string_view notation =
      "full, causal, window N, window BEFORE AFTER, blocks N, strided N, fixed N SUMMARIES; any of "
      "them with top_k N behind, or top_k N alone";

  AttentionPattern() = default;
  // Throws ConfigError with what is wrong alone.
  explicit AttentionPattern(std::string_view text);

  std::string text() const;
  // The core's pattern; in a decoder's self-attention without what comes after the query.
  Pattern pattern(bool decoder) const;

  bool operator==(const AttentionPattern&) const = default;

 private:
  enum class Kind { full, causal, window, blocks, strided, fixed };

  Pattern places() const;

  Kind kind_ = Kind::full;
  Index first_ = 0;  // the numbers behind the name
  Index second_ = 0;
  Index top_ = 0;  // 0: all
};

}  // namespace tapehead
