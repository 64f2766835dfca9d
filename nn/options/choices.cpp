#include "nn/options/choices.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

Index number_of(std::string_view word) {
  const Index number = whole_number(word).value_or(-1);
  if (number < 0 || number > 1'000'000'000) {
    throw ConfigError("{} is not a number of positions", shown(word, 60));
  }
  return number;
}

struct NamedPattern {
  std::string_view name;
  std::size_t fewest;  // least count of numbers after the name
  std::size_t most;
  Pattern (*places)(Index first, Index second);
};

// In the order of AttentionPattern::Kind.
constexpr std::array<NamedPattern, 7> kinds{{
    {"full", 0, 0, [](Index, Index) { return Pattern::full(); }},
    {"causal", 0, 0, [](Index, Index) { return Pattern::causal(); }},
    {"window", 1, 2, [](Index before, Index after) { return Pattern::window(before, after); }},
    {"blocks", 1, 1, [](Index size, Index) { return Pattern::blocks(size); }},
    {"strided", 1, 1, [](Index stride, Index) { return Pattern::strided(stride); }},
    {"fixed", 2, 2, [](Index size, Index summaries) { return Pattern::fixed(size, summaries); }},
    {"sink_window", 2, 2,
     [](Index sinks, Index before) { return Pattern::sink_window(sinks, before); }},
}};

}  // namespace

AttentionPattern::AttentionPattern(std::string_view text) {
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(text, ' ')) {
    if (!word.empty()) {
      words.emplace_back(word.begin(), word.end());
    }
  }
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
  const auto* const kind = std::ranges::find_if(kinds, [&](const NamedPattern& one) {
    return !words.empty() && words[0] == one.name && words.size() > one.fewest &&
           words.size() <= one.most + 1;
  });
  if (kind == kinds.end()) {
    throw ConfigError("no such pattern");
  }
  kind_ = static_cast<Kind>(kind - kinds.begin());
  if (kind->most == 0) {
    return;
  }
  first_ = number_of(words[1]);
  second_ = number_of(words.back());
  if (kind_ == Kind::sink_window && first_ == 0) {
    throw ConfigError("a sink_window with 0 sinks is a window {} 0; write that", second_);
  }
  if (first_ == 0 && (kind_ != Kind::window || second_ == 0)) {
    throw ConfigError("with a {} of 0, each query sees only itself", kind->name);
  }
  if (kind_ == Kind::fixed && second_ > first_) {
    throw ConfigError("there are more summaries than positions in a block");
  }
  if (kind_ == Kind::sink_window && top_ > 0) {
    throw ConfigError("top_k cannot follow sink_window");
  }
}

// An optional second number is left out if it equals the first.
std::string AttentionPattern::text() const {
  const NamedPattern& kind = kinds[static_cast<std::size_t>(kind_)];
  std::string places(kind.name);
  if (kind.most > 0) {
    places += fmt::format(" {}", first_);
  }
  if (kind.fewest == 2 || first_ != second_) {
    places += fmt::format(" {}", second_);
  }
  if (top_ == 0) {
    return places;
  }
  return kind_ == Kind::full ? fmt::format("top_k {}", top_)
                             : fmt::format("{} top_k {}", places, top_);
}

Pattern AttentionPattern::pattern(bool decoder) const {
  Pattern pattern = kinds[static_cast<std::size_t>(kind_)].places(first_, second_);
  if (decoder) {
    pattern = kind_ == Kind::full ? Pattern::causal() : pattern.looking_back();
  }
  return top_ > 0 ? pattern.top(top_) : pattern;
}

}  // namespace tapehead
