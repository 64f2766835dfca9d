#include "train/pytorch/pattern_text.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "core/text.hpp"

namespace tapehead {

namespace {

std::string function_of(const std::string& kind, const std::vector<Index>& numbers, bool decoder) {
  if (kind == "causal" || (kind == "full" && decoder)) {
    return "causal";
  }
  if (kind == "full") {
    return kind;
  }
  if (kind == "window") {
    return fmt::format("window({}, {})", numbers.front(), decoder ? 0 : numbers.back());
  }
  const std::string function = fmt::format("{}({})", kind, join(numbers, ", "));
  return decoder ? fmt::format("looking_back({})", function) : function;
}

}  // namespace

PatternText pattern_text(const AttentionPattern& pattern, bool decoder) {
  std::istringstream words(pattern.text());
  std::string kind = "full";
  std::vector<Index> numbers;
  PatternText text;
  for (std::string word; words >> word;) {
    if (word == "top_k") {
      words >> text.top_k.emplace();
    } else if (word.find_first_not_of("0123456789") == std::string::npos) {
      numbers.push_back(std::stoll(word));
    } else {
      kind = word;
    }
  }
  text.function = function_of(kind, numbers, decoder);
  text.full = text.function == "full";
  text.near = !numbers.empty();
  return text;
}

}  // namespace tapehead
