#include "nn/options/attention_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "core/text.hpp"

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

Index number_of(std::string_view word) {
  const Index number = whole_number(word).value_or(-1);
  if (number < 0 || number > 1'000'000'000) {
    throw ConfigError(fmt::format("{} is not a number of positions", shown(word, 60)));
  }
  return number;
}

}  // namespace

AttentionPattern::AttentionPattern(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (words.size() >= 2 && words[words.size() - 2] == "top_k") {
    top_ = number_of(words.back());
    if (top_ == 0) {
      throw ConfigError("top_k 0 leaves no key");
    }
    words.resize(words.size() - 2);
    if (words.empty()) {
      return;
    }
  }
  const std::string_view name = words.empty() ? "" : words[0];
  const std::size_t numbers = words.empty() ? 0 : words.size() - 1;
  const auto is = [&](std::string_view wanted, std::size_t least, std::size_t most) {
    return name == wanted && least <= numbers && numbers <= most;
  };
  if (is("full", 0, 0)) {
    return;
  }
  if (is("causal", 0, 0)) {
    kind_ = Kind::causal;
    return;
  }
  if (is("window", 1, 2)) {
    kind_ = Kind::window;
  } else if (is("blocks", 1, 1)) {
    kind_ = Kind::blocks;
  } else if (is("strided", 1, 1)) {
    kind_ = Kind::strided;
  } else if (is("fixed", 2, 2)) {
    kind_ = Kind::fixed;
  } else if (is("sink_window", 2, 2)) {
    kind_ = Kind::sink_window;
  } else {
    throw ConfigError("no such pattern");
  }
  first_ = number_of(words[1]);
  second_ = number_of(words.back());
  if (kind_ == Kind::sink_window && first_ == 0) {
    throw ConfigError(fmt::format("a sink_window without first tokens is a window {} 0", second_));
  }
  if (first_ == 0 && (kind_ != Kind::window || second_ == 0)) {
    throw ConfigError(fmt::format("a {} of 0 leaves each query only itself", name));
  }
  if (kind_ == Kind::fixed && second_ > first_) {
    throw ConfigError("more summaries than the block has positions");
  }
  if (kind_ == Kind::sink_window && top_ > 0) {
    throw ConfigError("top_k does not follow sink_window");
  }
}

std::string AttentionPattern::text() const {
  std::string places = [&]() -> std::string {
    switch (kind_) {
      case Kind::causal:
        return "causal";
      case Kind::window:
        return first_ == second_ ? fmt::format("window {}", first_)
                                 : fmt::format("window {} {}", first_, second_);
      case Kind::blocks:
        return fmt::format("blocks {}", first_);
      case Kind::strided:
        return fmt::format("strided {}", first_);
      case Kind::fixed:
        return fmt::format("fixed {} {}", first_, second_);
      case Kind::sink_window:
        return fmt::format("sink_window {} {}", first_, second_);
      default:
        return "full";
    }
  }();
  if (top_ == 0) {
    return places;
  }
  return kind_ == Kind::full ? fmt::format("top_k {}", top_)
                             : fmt::format("{} top_k {}", places, top_);
}

Pattern AttentionPattern::places() const {
  switch (kind_) {
    case Kind::causal:
      return Pattern::causal();
    case Kind::window:
      return Pattern::window(first_, second_);
    case Kind::blocks:
      return Pattern::blocks(first_);
    case Kind::strided:
      return Pattern::strided(first_);
    case Kind::fixed:
      return Pattern::fixed(first_, second_);
    case Kind::sink_window:
      return Pattern::sink_window(first_, second_);
    default:
      return Pattern::full();
  }
}

Pattern AttentionPattern::pattern(bool decoder) const {
  Pattern pattern = places();
  if (decoder) {
    pattern = kind_ == Kind::full ? Pattern::causal() : pattern.looking_back();
  }
  return top_ > 0 ? pattern.top(top_) : pattern;
}

}  // namespace tapehead
