#include "train/options/training_options.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr Index most_kept = 1000;
constexpr std::string_view joint = " every ";

Index kept_number(std::string_view word) {
  const auto number = whole_number(word);
  if (!number || word.front() == '0') {
    throw ConfigError("{} is not a whole number above 0", shown(word, 60));
  }
  if (*number < 1 || *number > most_kept) {
    throw ConfigError("out of range");
  }
  return *number;
}

}  // namespace

KeptCheckpoints::KeptCheckpoints(std::string_view text) {
  if (text == "all") {
    every_ = 1;
    return;
  }
  const std::size_t at = text.find(joint);
  newest_ = kept_number(text.substr(0, at));
  if (at != std::string_view::npos) {
    every_ = kept_number(text.substr(at + joint.size()));
  }
}

std::string KeptCheckpoints::text() const {
  if (every_ == 1) {
    return "all";
  }
  return every_ == 0 ? fmt::format("{}", newest_) : fmt::format("{}{}{}", newest_, joint, every_);
}

}  // namespace tapehead
