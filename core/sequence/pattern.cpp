#include "core/sequence/pattern.hpp"

namespace tapehead {

namespace {

void expect_positive(Index number, const char* what) {
  if (number < 1) {
    throw ConfigError("pattern: {} of {}: it must be 1 or more", what, number);
  }
}

}  // namespace

Pattern Pattern::blocks(Index size) {
  expect_positive(size, "a block size");
  return Pattern({.before = 0, .after = 0, .query_unit = size, .key_unit = size});
}

Pattern Pattern::strided(Index stride) {
  expect_positive(stride, "a stride");
  Pattern pattern = window(stride, stride);
  pattern.far_stride_ = stride;
  return pattern;
}

Pattern Pattern::fixed(Index size, Index summaries) {
  Pattern pattern = blocks(size);
  if (summaries < 0 || summaries > size) {
    throw ConfigError("pattern: {} summary keys of a block of {}: there can be 0 to {}", summaries,
                      size, size);
  }
  pattern.summaries_ = summaries;
  return pattern;
}

Pattern Pattern::sink_window(Index sinks, Index before) {
  expect_positive(sinks, "a number of first keys");
  Pattern pattern = window(before, 0).looking_back();
  pattern.sinks_ = sinks;
  return pattern;
}

Pattern Pattern::looking_back() const {
  Pattern back = *this;
  back.near_.ahead = std::min<Index>(back.near_.ahead, 0);
  back.looks_back_ = true;
  return back;
}

Pattern Pattern::top(Index count) const {
  expect_positive(count, "a number of largest scores");
  Pattern chosen = *this;
  chosen.top_ = count;
  return chosen;
}

KeyRanges Pattern::bounds(Index prefix) const {
  const bool near_only = far_stride_ == 0 && summaries_ == 0 && sinks_ == 0;
  KeyRanges ranges = near_only ? near_ : KeyRanges{.ahead = near_.ahead};
  if (prefix > 0) {
    ranges.before = KeyRanges::unlimited;
    ranges.prefix = prefix;
  }
  return ranges;
}

bool Pattern::is_range(Index prefix) const {
  const bool joined = prefix <= 0 || near_.before == KeyRanges::unlimited;
  return joined && far_stride_ == 0 && summaries_ == 0 && sinks_ == 0 && rule_ == nullptr;
}

bool Pattern::allowed(Index query, Index key, Index prefix) const {
  bool result = false;
  mark(query, key, {&result, 1}, prefix);
  return result;
}

void Pattern::mark(Index query, Index first, std::span<bool> allowed, Index prefix) const {
  if (rule_ != nullptr) {
    (*rule_)(query, first, allowed);
  }
  const PositionRange near = near_.of(query);
  const Index size = near_.query_unit;
  for (Index key = first; bool& mark : allowed) {
    bool given = near.first <= key && key <= near.last;
    if (far_stride_ > 0) {
      given = given || (key - query) % far_stride_ == 0;
    } else if (summaries_ > 0) {
      given = given || key - KeyRanges::unit(key, size) * size >= size - summaries_;
    } else if (sinks_ > 0) {
      given = given || key < sinks_;
    }
    given = given && (!looks_back_ || key <= query);
    mark = (rule_ != nullptr ? mark && given : given) || (prefix > 0 && key < prefix);
    ++key;
  }
}

}  // namespace tapehead
