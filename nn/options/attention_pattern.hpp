// The pattern of a head, which says to which keys it may attend, in the notation of a config.
#pragma once

#include "core/sequence/pattern.hpp"

namespace tapehead {

// "window 4" goes from four positions before the query to four after it; "window 4 0" only looks
// back. "fixed 8 2" has blocks of 8 with two summary keys each. "sink_window 4 60" looks back to
// 60 positions before the query, and at the first four. "top_k 3" at the end keeps, of the keys
// that the rest allows, the three with the largest scores.
class AttentionPattern {
 public:
  static constexpr std::string_view notation =
      "full, causal, window N, window BEFORE AFTER, blocks N, strided N, fixed N SUMMARIES; any of "
      "them followed by top_k N, or top_k N alone; sink_window SINKS BEFORE";

  AttentionPattern() = default;
  // Throws ConfigError that says only what is wrong.
  explicit AttentionPattern(std::string_view text);

  std::string text() const;
  // The pattern for core; in a decoder's self-attention without the keys after the query.
  Pattern pattern(bool decoder) const;

  // Whether it can be combined with a prefix that every query sees.
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
  Index top_ = 0;  // 0: all
};

}  // namespace tapehead
