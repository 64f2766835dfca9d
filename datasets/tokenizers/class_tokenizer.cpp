#include "datasets/tokenizers/class_tokenizer.hpp"

#include <utility>

#include "core/text.hpp"

namespace tapehead {

ClassTokenizer::ClassTokenizer(std::vector<std::string> classes) : classes_(std::move(classes)) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    numbers_.emplace(classes_[i], static_cast<TokenId>(i));
  }
}

std::vector<TokenId> ClassTokenizer::encode(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? std::vector<TokenId>{} : std::vector{found->second};
}

std::string ClassTokenizer::decode(const std::vector<TokenId>& tokens) const {
  std::vector<std::string> names;
  for (const TokenId token : tokens) {
    names.push_back(entry(token));
  }
  return join(names, " ");
}

std::vector<std::string> ClassTokenizer::unknown_parts(std::string_view text) const {
  return numbers_.contains(text) ? std::vector<std::string>{} : std::vector{std::string(text)};
}

std::string ClassTokenizer::entry(TokenId token) const {
  return classes_.at(static_cast<std::size_t>(token));
}

void ClassTokenizer::save(const std::filesystem::path& stem) const {
  save_vocabulary(Vocabulary(classes_), kind, std::filesystem::path(stem) += vocabulary_suffix);
}

}  // namespace tapehead
