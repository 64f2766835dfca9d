#include "nn/attention_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/errors.hpp"

namespace tapehead {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) {
      return words;
    }
    const std::size_t end = std::min(text.find(' ', first), text.size());
    words.push_back(text.substr(first, end - first));
    text.remove_prefix(end);
  }
}

Index reach_of(std::string_view word) {
  Index reach = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), reach);
  if (error != std::errc() || end != word.data() + word.size() || reach < 0 ||
      reach > 1'000'000'000) {
    throw ConfigError(fmt::format("{} is no number of positions", word));
  }
  return reach;
}

}  // namespace

AttentionPattern::AttentionPattern(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() == 1 && words[0] == "full") {
    return;
  }
  if (words.size() == 1 && words[0] == "causal") {
    after_ = 0;
    return;
  }
  if ((words.size() == 2 || words.size() == 3) && words[0] == "window") {
    before_ = reach_of(words[1]);
    after_ = reach_of(words.back());
    if (before_ == 0 && after_ == 0) {
      throw ConfigError("a window of 0 leaves each query itself alone");
    }
    return;
  }
  throw ConfigError("no such pattern");
}

std::string AttentionPattern::text() const {
  if (before_ == Pattern::unlimited) {
    return after_ == 0 ? "causal" : "full";
  }
  return before_ == after_ ? fmt::format("window {}", before_)
                           : fmt::format("window {} {}", before_, after_);
}

Pattern AttentionPattern::pattern(bool causal) const {
  return Pattern::window(before_, causal ? 0 : after_);
}

}  // namespace tapehead
