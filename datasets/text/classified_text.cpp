#include "datasets/text/classified_text.hpp"

#include <utility>

#include "datasets/text/labelled_lines.hpp"

namespace tapehead {

ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length) {
  const auto parts = texts_of(line, texts);
  std::vector<TokenId> first = tokenizer.encode(parts.front());
  std::vector<TokenId> second =
      parts.size() > 1 ? tokenizer.encode(parts[1]) : std::vector<TokenId>{};
  ClassifiedText result;
  while (std::ssize(first) + std::ssize(second) > max_length) {
    (first.size() >= second.size() ? first : second).pop_back();
    result.cut = true;
  }
  if (texts == 2) {
    first.push_back(end_id);
    first.insert(first.end(), second.begin(), second.end());
  }
  result.tokens = std::move(first);
  return result;
}

}  // namespace tapehead
